//! Requests as interceptors see them: one type for each verb, and one for all.

use bytes::Bytes;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::protocol::{
    query::Query,
    status::{Failure, Outcome, bad_request, internal},
    target::Address,
    verb::Verb,
    yaml_documents,
};

/// A request for objects, of any verb.
#[derive(Clone, Debug)]
pub struct AnyRequest {
    /// What it asks to do.
    pub verb: Verb,
    /// The objects its path names.
    pub address: Address,
    /// The query, as it was sent.
    pub query: String,
    /// The content type of the body, without parameters; empty if there is none.
    pub content_type: String,
    /// The body.
    pub body: Bytes,
}

/// A request for one object, or for a subresource of it.
#[derive(Clone, Debug)]
pub struct GetRequest {
    /// The object.
    pub address: Address,
}

/// A request for a collection.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// The collection.
    pub address: Address,
    /// `labelSelector`, as it was sent.
    pub label_selector: String,
    /// `fieldSelector`, as it was sent.
    pub field_selector: String,
}

/// A watch that is about to be opened.
#[derive(Clone, Debug)]
pub struct WatchRequest {
    /// The objects that are watched.
    pub address: Address,
    /// `labelSelector`, as it was sent.
    pub label_selector: String,
    /// `fieldSelector`, as it was sent.
    pub field_selector: String,
}

/// A request that creates an object.
#[derive(Clone, Debug)]
pub struct CreateRequest<T = Value> {
    /// The collection; an object and a subresource for actions such as evictions.
    pub address: Address,
    /// The object in the body.
    pub object: T,
}

/// A request that replaces an object.
#[derive(Clone, Debug)]
pub struct UpdateRequest<T = Value> {
    /// The object in the path.
    pub address: Address,
    /// The object in the body.
    pub object: T,
}

/// A request that patches an object.
#[derive(Clone, Debug)]
pub struct PatchRequest {
    /// The object.
    pub address: Address,
    /// The type of the patch, such as `application/merge-patch+json`.
    pub patch_type: String,
    /// The patch.
    pub patch: Value,
}

/// A request that deletes one object or a collection.
#[derive(Clone, Debug)]
pub struct DeleteRequest {
    /// The object, or the collection.
    pub address: Address,
    /// The DeleteOptions in the body; null if there are none.
    pub options: Value,
}

/// Requests that an interceptor can be written for.
pub trait TypedRequest: Sized + 'static {
    /// The verbs of such requests; all if empty.
    const VERBS: &'static [Verb];

    /// Reads a request.
    ///
    /// # Errors
    /// If its body is something else. The request is answered with the failure.
    fn read(request: &AnyRequest) -> Result<Self, Failure>;

    /// Puts changes of the body back; addresses and selectors cannot be changed.
    ///
    /// # Errors
    /// If the new body cannot be serialized.
    fn write(self, request: &mut AnyRequest) -> Result<(), Failure>;
}

impl TypedRequest for AnyRequest {
    const VERBS: &'static [Verb] = &[];

    fn read(request: &AnyRequest) -> Outcome<Self> {
        Ok(request.clone())
    }

    fn write(self, request: &mut AnyRequest) -> Outcome<()> {
        request.body = self.body;
        // Both: an interceptor may turn YAML into JSON.
        request.content_type = self.content_type;
        Ok(())
    }
}

impl TypedRequest for GetRequest {
    const VERBS: &'static [Verb] = &[Verb::Get];

    fn read(request: &AnyRequest) -> Outcome<Self> {
        Ok(GetRequest { address: request.address.clone() })
    }

    fn write(self, _: &mut AnyRequest) -> Outcome<()> {
        Ok(())
    }
}

impl TypedRequest for ListRequest {
    const VERBS: &'static [Verb] = &[Verb::List];

    fn read(request: &AnyRequest) -> Outcome<Self> {
        let (address, [label_selector, field_selector]) = (request.address.clone(), request.selectors());
        Ok(ListRequest { address, label_selector, field_selector })
    }

    fn write(self, _: &mut AnyRequest) -> Outcome<()> {
        Ok(())
    }
}

impl TypedRequest for WatchRequest {
    const VERBS: &'static [Verb] = &[Verb::Watch];

    fn read(request: &AnyRequest) -> Outcome<Self> {
        let (address, [label_selector, field_selector]) = (request.address.clone(), request.selectors());
        Ok(WatchRequest { address, label_selector, field_selector })
    }

    fn write(self, _: &mut AnyRequest) -> Outcome<()> {
        Ok(())
    }
}

impl<T: Serialize + DeserializeOwned + 'static> TypedRequest for CreateRequest<T> {
    const VERBS: &'static [Verb] = &[Verb::Create];

    fn read(request: &AnyRequest) -> Outcome<Self> {
        Ok(CreateRequest { address: request.address.clone(), object: request.object()? })
    }

    fn write(self, request: &mut AnyRequest) -> Outcome<()> {
        request.set_object(&self.object)
    }
}

impl<T: Serialize + DeserializeOwned + 'static> TypedRequest for UpdateRequest<T> {
    const VERBS: &'static [Verb] = &[Verb::Update];

    fn read(request: &AnyRequest) -> Outcome<Self> {
        Ok(UpdateRequest { address: request.address.clone(), object: request.object()? })
    }

    fn write(self, request: &mut AnyRequest) -> Outcome<()> {
        request.set_object(&self.object)
    }
}

impl TypedRequest for PatchRequest {
    const VERBS: &'static [Verb] = &[Verb::Patch];

    fn read(request: &AnyRequest) -> Outcome<Self> {
        let (address, patch_type) = (request.address.clone(), request.content_type.clone());
        Ok(PatchRequest { address, patch_type, patch: request.value()? })
    }

    fn write(self, request: &mut AnyRequest) -> Outcome<()> {
        request.body = self.patch.to_string().into();
        request.content_type = self.patch_type;
        Ok(())
    }
}

impl TypedRequest for DeleteRequest {
    // One type for both, because their options are the same.
    const VERBS: &'static [Verb] = &[Verb::Delete, Verb::DeleteCollection];

    fn read(request: &AnyRequest) -> Outcome<Self> {
        let options = if request.body.is_empty() { Value::Null } else { request.value()? };
        Ok(DeleteRequest { address: request.address.clone(), options })
    }

    fn write(self, request: &mut AnyRequest) -> Outcome<()> {
        match self.options {
            Value::Null => request.body = Bytes::new(),
            options => request.set_object(&options)?,
        }
        Ok(())
    }
}

impl AnyRequest {
    fn selectors(&self) -> [String; 2] {
        let query = Query::parse(Some(&self.query));
        ["labelSelector", "fieldSelector"].map(|name| query.get(name).unwrap_or_default().to_string())
    }

    /// The body as a tree. YAML, which applied configurations may be, includes JSON.
    fn value(&self) -> Outcome<Value> {
        let text = std::str::from_utf8(&self.body)
            .map_err(|_| bad_request("interceptors read JSON and YAML bodies, which this is not"))?;
        // JSON first, because nearly all bodies are JSON and YAML is slow to read.
        serde_json::from_str(text).or_else(|_| yaml_documents::one_document(text).map_err(bad_request))
    }

    fn object<T: DeserializeOwned>(&self) -> Outcome<T> {
        // The type is the interceptor's, so that the fault is in the test and not in the request.
        serde_json::from_value(self.value()?)
            .map_err(|error| internal(format!("an interceptor wants another type of object: {error}")))
    }

    fn set_object<T: Serialize>(&mut self, object: &T) -> Outcome<()> {
        let text = serde_json::to_vec(object)
            .map_err(|error| internal(format!("an interceptor's object cannot be serialized: {error}")))?;
        self.body = text.into();
        // Whatever it was before, it is JSON now.
        self.content_type = crate::protocol::media::JSON.to_string();
        Ok(())
    }
}
