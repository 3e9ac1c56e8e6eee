//! The tests of the server from outside: one binary, which is linked once.

#![recursion_limit = "256"]

mod api;
mod choices;
mod clients;
mod kubectl;
mod no_controllers;
mod server;
mod stores;
mod users;
