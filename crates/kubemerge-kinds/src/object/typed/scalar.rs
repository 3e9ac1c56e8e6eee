//! Scalars as Go reads and writes them.

use kubemerge_schema::{GoKind, GoValue};
use kubemerge_value::Start;

use super::{DecodeError, Decoder, Quantity, duration, time, zero};
use crate::tree::Value;

impl<'a> Decoder<'a> {
    pub(super) fn read_scalar(&mut self, ty: GoValue, start: Start) -> Result<Value<'a>, DecodeError> {
        match (ty.kind, start) {
            // Its own decoder reads null as an empty text.
            (GoKind::Duration, Start::Null) => Err(duration::invalid("")),
            (_, Start::Null) => {
                self.reader.word();
                Ok(zero(self.arena, self.types, ty))
            }
            (GoKind::String, Start::Str) => Ok(Value::Str(self.reader.string())),
            (GoKind::Bool, Start::True | Start::False) => {
                self.reader.word();
                Ok(Value::Bool(start == Start::True))
            }
            (GoKind::Int32 | GoKind::Int64, Start::Number) => Ok(self.read_int(ty)),
            (GoKind::Float64, Start::Number) => Ok(crate::tree::number(self.reader.number())),
            (GoKind::Bytes, Start::Str) => Ok(self.read_bytes()),
            (GoKind::Bytes, Start::List) => Ok(self.read_byte_list()),
            (GoKind::IntOrString, _) => self.read_int_or_string(start),
            (GoKind::Quantity, _) => self.read_quantity(start),
            (GoKind::Time | GoKind::MicroTime | GoKind::Duration, _) => self.read_time(ty.kind, start),
            _ => {
                self.mismatch(ty, start.go_name());
                Ok(zero(self.arena, self.types, ty))
            }
        }
    }

    fn read_int(&mut self, ty: GoValue) -> Value<'a> {
        let number = self.reader.number();
        let fits = |number: &i64| ty.kind == GoKind::Int64 || i32::try_from(*number).is_ok();
        if let Some(number) = number.int().filter(fits) {
            Value::Int(number)
        } else {
            let type_name = self.types.type_name(ty).into_owned();
            self.save_mismatch(&format!("number {}", number.literal()), &type_name);
            Value::Int(0)
        }
    }

    /// Base64, written as Go writes it: with padding, without line breaks and without bits that encode nothing.
    fn read_bytes(&mut self) -> Value<'a> {
        let text = self.reader.string();
        match super::base64::check(text) {
            Ok(()) => Value::Str(super::base64::canonical(text, self.arena)),
            // The decoder notes the error and reads on, as it does for values of a wrong type.
            Err(at) => {
                let message = format!("illegal base64 data at input byte {at}");
                self.mismatch.get_or_insert(DecodeError::new(message));
                Value::Null
            }
        }
    }

    /// Go reads a list of numbers into bytes, too.
    fn read_byte_list(&mut self) -> Value<'a> {
        let mut bytes = Vec::new();
        let mut level = self.reader.open_list();
        while self.reader.item(&mut level) {
            match self.read_byte() {
                Ok(byte) => bytes.push(byte),
                Err(found) => self.save_mismatch(&found, "uint8"),
            }
        }
        Value::Str(self.arena.alloc_str(&super::base64::encode(&bytes)))
    }

    /// A byte, or what is in its place.
    fn read_byte(&mut self) -> Result<u8, String> {
        match self.reader.start() {
            Start::Number => {
                let number = self.reader.number();
                let byte = number.int().and_then(|int| u8::try_from(int).ok());
                byte.ok_or_else(|| format!("number {}", number.literal()))
            }
            Start::Null => {
                self.reader.word();
                Ok(0)
            }
            other => {
                self.reader.pass();
                Err(other.go_name().to_owned())
            }
        }
    }

    fn read_int_or_string(&mut self, start: Start) -> Result<Value<'a>, DecodeError> {
        match start {
            Start::Str => Ok(Value::Str(self.reader.string())),
            Start::Number => {
                let number = self.reader.number();
                let int = number.int().filter(|int| i32::try_from(*int).is_ok()).map(Value::Int);
                int.ok_or_else(|| self.mismatch_error(&format!("number {}", number.literal()), "int32"))
            }
            _ => Err(self.mismatch_error(start.go_name(), "int32")),
        }
    }

    fn read_quantity(&mut self, start: Start) -> Result<Value<'a>, DecodeError> {
        // A quantity may be written as a number: its digits are the text.
        let text = if start == Start::Str { self.reader.string() } else { self.reader.pass() };
        let quantity = Quantity::parse(text.trim()).map_err(|error| DecodeError::new(error.message()))?;
        Ok(Value::Str(match quantity.kept() {
            Some(text) => text,
            None => self.arena.alloc_str(&quantity.canonical_text()),
        }))
    }

    fn read_time(&mut self, kind: GoKind, start: Start) -> Result<Value<'a>, DecodeError> {
        if start != Start::Str {
            return Err(self.mismatch_error(start.go_name(), "string"));
        }
        let text = self.reader.string();
        let canonical = match kind {
            GoKind::Duration => Some(duration::canonical(text).ok_or_else(|| duration::invalid(text))?),
            GoKind::MicroTime => time::canonical(text, time::Precision::Micros)?,
            _ => time::canonical(text, time::Precision::Seconds)?,
        };
        Ok(match canonical {
            Some(canonical) if canonical == text => Value::Str(text),
            Some(canonical) => Value::Str(self.arena.alloc_str(&canonical)),
            // Go writes its zero time as null.
            None => Value::Null,
        })
    }
}

/// A text in quotes, as Go's package for times quotes it: only ASCII is printed as it is.
pub(super) fn in_quotes(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' | 0x7f => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push('"');
    out
}
