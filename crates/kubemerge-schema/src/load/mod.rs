//! Loaders: from documents to the model. The types of OpenAPI and of custom resource definitions end here.

pub(crate) mod crd;
pub(crate) mod definition_type;
mod openapi;
pub(crate) mod openapi_v2;
pub(crate) mod openapi_v3;
mod paths;
mod reader;
mod values;
