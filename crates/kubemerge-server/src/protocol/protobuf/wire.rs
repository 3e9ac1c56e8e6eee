//! The wire format of protobuf: numbered fields, varints, lengths.

use super::table::ValueType;

/// One field of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct WireField<'b> {
    pub(super) number: u32,
    pub(super) payload: Payload<'b>,
}

/// What a field carries.
#[derive(Clone, Copy, Debug)]
pub(super) enum Payload<'b> {
    Varint(u64),
    Fixed64(u64),
    /// No message of Kubernetes has one.
    Fixed32,
    Bytes(&'b [u8]),
    Group,
}

/// The fields of a message, in order; ends after the first fault.
pub(super) fn fields(bytes: &[u8]) -> impl Iterator<Item = Result<WireField<'_>, String>> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let bytes = rest.filter(|bytes| !bytes.is_empty())?;
        let read = read(bytes);
        rest = read.as_ref().map(|(_, rest)| *rest);
        Some(read.map(|(field, _)| field).ok_or_else(|| "the message ends too early".to_string()))
    })
}

fn read(bytes: &[u8]) -> Option<(WireField<'_>, &[u8])> {
    let (tag, rest) = varint(bytes)?;
    let number = u32::try_from(tag >> 3).ok().filter(|number| *number > 0)?;
    let (payload, rest) = match tag & 7 {
        3 => (Payload::Group, skip_group(rest)?),
        wire_type => payload(wire_type, rest)?,
    };
    Some((WireField { number, payload }, rest))
}

/// What a field carries that is no group.
fn payload(wire_type: u64, bytes: &[u8]) -> Option<(Payload<'_>, &[u8])> {
    match wire_type {
        0 => varint(bytes).map(|(number, rest)| (Payload::Varint(number), rest)),
        1 => {
            let (fixed, rest) = bytes.split_first_chunk::<8>()?;
            Some((Payload::Fixed64(u64::from_le_bytes(*fixed)), rest))
        }
        2 => {
            let (length, rest) = varint(bytes)?;
            let (bytes, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            Some((Payload::Bytes(bytes), rest))
        }
        5 => bytes.split_first_chunk::<4>().map(|(_, rest)| (Payload::Fixed32, rest)),
        _ => None,
    }
}

/// What is after a group. Groups are obsolete, and only fields that no message has can be such.
fn skip_group(mut bytes: &[u8]) -> Option<&[u8]> {
    let mut open = 1_usize;
    while open > 0 {
        let (tag, rest) = varint(bytes)?;
        bytes = rest;
        match tag & 7 {
            3 => open += 1,
            4 => open -= 1,
            wire_type => bytes = payload(wire_type, bytes)?.1,
        }
    }
    Some(bytes)
}

/// A number of up to ten bytes, seven bits each.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    // A longer varint cannot be a 64-bit number: the body is broken.
    let mut rest = bytes;
    for shift in (0..70).step_by(7) {
        let (byte, after) = rest.split_first()?;
        rest = after;
        number |= u64::from(byte & 127) << shift;
        if byte & 128 == 0 {
            return Some((number, rest));
        }
    }
    None
}

impl<'b> Payload<'b> {
    pub(super) fn bytes(self) -> Result<&'b [u8], String> {
        match self {
            Payload::Bytes(bytes) => Ok(bytes),
            _ => Err("something else is where a message, string or bytes belong".into()),
        }
    }

    pub(super) fn text(self) -> Result<String, String> {
        let text = std::str::from_utf8(self.bytes()?);
        text.map(str::to_string).map_err(|_| "a string is not UTF-8".into())
    }

    pub(super) fn varint(self) -> Result<u64, String> {
        match self {
            Payload::Varint(number) => Ok(number),
            _ => Err("something else is where a number belongs".into()),
        }
    }

    pub(super) fn double(self) -> Result<f64, String> {
        match self {
            Payload::Fixed64(bits) => Ok(f64::from_bits(bits)),
            _ => Err("something else is where a floating point number belongs".into()),
        }
    }

    /// The elements of a repeated field: numbers may come together in one field.
    pub(super) fn unpacked(self, ty: ValueType) -> Result<Vec<Payload<'b>>, String> {
        let Payload::Bytes(mut bytes) = self else { return Ok(vec![self]) };
        // Only numbers are packed; anything else in bytes is one element.
        let is_varint = matches!(
            ty,
            ValueType::Int32 | ValueType::Int64 | ValueType::Uint32 | ValueType::Uint64 | ValueType::Bool
        );
        if !is_varint {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(bytes: &[u8]) -> Option<Vec<u32>> {
        fields(bytes).map(|field| field.ok().map(|field| field.number)).collect()
    }

    #[test]
    fn every_wire_type_is_skipped() {
        let group = [0x0b, 0x13, 0x18, 7, 0x14, 0x22, 1, b'x', 0x0c];
        let bytes = [&[0x10, 1][..], &[0x19; 9], &[0x22, 1, 0], &[0x2d; 5], &group, &[0x38, 1]].concat();
        assert_eq!(numbers(&bytes), Some(vec![2, 3, 4, 5, 1, 7]));
    }

    #[test]
    fn broken_fields_end_the_message() {
        for bad in [
            // No number, the end of no group, no end of a group, an unknown wire type.
            &[0x00, 1][..],
            &[0x0c],
            &[0x0b, 0x08, 1],
            &[0x0b, 0x0f, 0x0c],
            &[0x0e],
            // Ends in the middle.
            &[0x08],
            &[0x09, 1, 2],
            &[0x0a, 2, 1],
            &[0x0d, 1],
            &[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            &[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
        ] {
            assert_eq!(numbers(bad), None, "{bad:?}");
        }
    }
}
