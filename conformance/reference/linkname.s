// This file is empty on purpose: its presence lets Go functions without a body (see diffMaps) compile.
