//! Recognises the dates and times of YAML 1.1, in the forms Go's yaml.v2 accepts.
//!
//! A timestamp is read as a string all the same; it matters for `!!timestamp`, for quoting on the way out
//! and for nothing else.

/// Whether a plain scalar is a date (`2001-12-14`) or a date with a time.
pub(crate) fn is_timestamp(text: &str) -> bool {
    // Four digits and a dash: cheap to check, and all forms have them.
    let Some((year, [b'-', rest @ ..])) = text.as_bytes().split_at_checked(4) else { return false };
    if rest.len() < 3 || !year.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let year = year.iter().fold(0, |year, digit| year * 10 + u32::from(digit - b'0'));
    let mut rest = Cursor(rest);
    date(&mut rest, year).is_some() && (rest.0.is_empty() || time(&mut rest).is_some())
}

struct Cursor<'t>(&'t [u8]);

impl Cursor<'_> {
    fn take(&mut self, wanted: u8) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        (*first == wanted).then(|| self.0 = rest)
    }

    fn skip(&mut self, count: usize) {
        self.0 = self.0.get(count..).unwrap_or_default();
    }

    /// One or two digits.
    fn number(&mut self) -> Option<u32> {
        let count = self.0.iter().take(2).take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return None;
        }
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        Some(digits.iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0')))
    }

    fn skip_while(&mut self, wanted: impl Fn(&u8) -> bool) -> usize {
        let count = self.0.iter().take_while(|byte| wanted(byte)).count();
        self.skip(count);
        count
    }
}

fn date(rest: &mut Cursor<'_>, year: u32) -> Option<()> {
    let month = rest.number().filter(|month| (1..=12).contains(month))?;
    rest.take(b'-')?;
    rest.number().filter(|day| (1..=days_in(month, year)).contains(day)).map(drop)
}

fn days_in(month: u32, year: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The time after a date: `T` wants a zone, a space forbids one.
fn time(rest: &mut Cursor<'_>) -> Option<()> {
    let with_zone = match rest.0.first()? {
        b'T' | b't' => {
            rest.skip(1);
            true
        }
        // The form with a space has no zone in yaml.v2.
        b' ' => {
            rest.skip_while(|byte| *byte == b' ');
            false
        }
        _ => return None,
    };
    clock(rest)?;
    if with_zone {
        zone(rest)?;
    }
    rest.0.is_empty().then_some(())
}

fn clock(rest: &mut Cursor<'_>) -> Option<()> {
    rest.number().filter(|hour| *hour < 24)?;
    rest.take(b':')?;
    rest.number().filter(|minute| *minute < 60)?;
    rest.take(b':')?;
    rest.number().filter(|second| *second < 60)?;
    if let [b'.' | b',', b'0'..=b'9', ..] = rest.0 {
        rest.skip(1);
        rest.skip_while(u8::is_ascii_digit);
    }
    Some(())
}

fn zone(rest: &mut Cursor<'_>) -> Option<()> {
    if rest.take(b'Z').is_some() {
        return Some(());
    }
    let [b'+' | b'-', h1, h2, b':', m1, m2, tail @ ..] = rest.0 else { return None };
    rest.0 = tail;
    let number = |tens: &u8, ones: &u8| {
        (tens.is_ascii_digit() && ones.is_ascii_digit()).then(|| (tens - b'0') * 10 + (ones - b'0'))
    };
    // Upstream: Go accepts these bounds for zones.
    (number(h1, h2)? <= 24 && number(m1, m2)? <= 60).then_some(())
}
