//! The wire format of protobuf: numbered fields, varints, lengths.

/// One field of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'b> {
    pub(super) number: u32,
    pub(super) payload: Payload<'b>,
}

/// What a field carries.
#[derive(Clone, Copy, Debug)]
pub(super) enum Payload<'b> {
    Varint(u64),
    Fixed64(u64),
    Fixed32(u32),
    Bytes(&'b [u8]),
}

/// The fields of a message, in order; ends after the first fault.
pub(super) fn fields(bytes: &[u8]) -> impl Iterator<Item = Result<Field<'_>, String>> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let bytes = rest.filter(|bytes| !bytes.is_empty())?;
        let read = read(bytes);
        rest = read.as_ref().map(|(_, rest)| *rest);
        Some(read.map(|(field, _)| field).ok_or_else(|| "the message ends too early".to_string()))
    })
}

fn read(bytes: &[u8]) -> Option<(Field<'_>, &[u8])> {
    let (tag, rest) = varint(bytes)?;
    let (payload, rest) = match tag & 7 {
        0 => varint(rest).map(|(number, rest)| (Payload::Varint(number), rest))?,
        1 => {
            let (fixed, rest) = rest.split_first_chunk::<8>()?;
            (Payload::Fixed64(u64::from_le_bytes(*fixed)), rest)
        }
        2 => {
            let (length, rest) = varint(rest)?;
            let (bytes, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            (Payload::Bytes(bytes), rest)
        }
        5 => {
            let (fixed, rest) = rest.split_first_chunk::<4>()?;
            (Payload::Fixed32(u32::from_le_bytes(*fixed)), rest)
        }
        // Groups (3 and 4) are obsolete, and no Kubernetes message has them.
        _ => return None,
    };
    Some((Field { number: u32::try_from(tag >> 3).ok()?, payload }, rest))
}

/// A number of up to ten bytes, seven bits each.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    // A longer varint cannot be a 64-bit number: the body is broken.
    for (at, byte) in bytes.iter().take(10).enumerate() {
        number |= u64::from(byte & 127) << (7 * at);
        if byte & 128 == 0 {
            return Some((number, &bytes[at + 1..]));
        }
    }
    None
}

impl<'b> Payload<'b> {
    pub(super) fn bytes(self) -> Result<&'b [u8], String> {
        match self {
            Payload::Bytes(bytes) => Ok(bytes),
            _ => Err("a number is where a message belongs".into()),
        }
    }

    pub(super) fn text(self) -> Result<String, String> {
        let text = std::str::from_utf8(self.bytes()?);
        text.map(str::to_string).map_err(|_| "a string is not UTF-8".into())
    }

    pub(super) fn number(self) -> Result<u64, String> {
        match self {
            Payload::Varint(number) | Payload::Fixed64(number) => Ok(number),
            Payload::Fixed32(number) => Ok(u64::from(number)),
            Payload::Bytes(_) => Err("bytes are where a number belongs".into()),
        }
    }

    /// The elements of a repeated field: numbers may come together in one field.
    pub(super) fn unpacked(self, kind: &str) -> Result<Vec<Payload<'b>>, String> {
        let Payload::Bytes(mut bytes) = self else { return Ok(vec![self]) };
        // Only numbers are packed; anything else in bytes is one element.
        if !matches!(kind, "int32" | "int64" | "uint32" | "uint64" | "bool") {
            return Ok(vec![self]);
        }
        let mut all = Vec::new();
        while !bytes.is_empty() {
            let (number, rest) = varint(bytes).ok_or("the message ends too early")?;
            all.push(Payload::Varint(number));
            bytes = rest;
        }
        Ok(all)
    }
}
