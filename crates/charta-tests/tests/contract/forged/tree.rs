//! The body of a model file as a tree, and what somebody might make of it.

/// A value of MessagePack.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Nothing,
    Truth(bool),
    Whole(u64),
    Negative(i64),
    Number(f64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// The value that bytes begin with; what follows it is left.
pub(super) fn read(bytes: &mut &[u8]) -> Node {
    let marker = number(bytes, 1) as u8;
    let low = |mask: u8| usize::from(marker & mask);
    match marker {
        0x00..=0x7f => Node::Whole(u64::from(marker)),
        0x80..=0x8f => map(bytes, low(15)),
        0x90..=0x9f => list(bytes, low(15)),
        0xa0..=0xbf => text(bytes, low(31)),
        0xc0 => Node::Nothing,
        0xc2 | 0xc3 => Node::Truth(marker == 0xc3),
        0xc4..=0xc6 => {
            let length = number(bytes, 1 << (marker - 0xc4)) as usize;
            Node::Bytes(take(bytes, length).to_vec())
        }
        0xca => Node::Number(f64::from(f32::from_bits(number(bytes, 4) as u32))),
        0xcb => Node::Number(f64::from_bits(number(bytes, 8))),
        0xcc..=0xcf => Node::Whole(number(bytes, 1 << (marker - 0xcc))),
        0xd0..=0xd3 => {
            let n_bytes = 1_u32 << (marker - 0xd0);
            let shift = 64 - 8 * n_bytes;
            let value = number(bytes, n_bytes as usize) << shift;
            Node::Negative(value.cast_signed() >> shift)
        }
        0xd9..=0xdb => {
            let length = number(bytes, 1 << (marker - 0xd9)) as usize;
            text(bytes, length)
        }
        0xdc | 0xdd => {
            let length = number(bytes, 2 << (marker - 0xdc)) as usize;
            list(bytes, length)
        }
        0xde | 0xdf => {
            let length = number(bytes, 2 << (marker - 0xde)) as usize;
            map(bytes, length)
        }
        0xe0..=0xff => Node::Negative(i64::from(marker.cast_signed())),
        other => panic!("a value of the kind {other:#x}"),
    }
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (first, rest) = bytes.split_at(length);
    *bytes = rest;
    first
}

fn number(bytes: &mut &[u8], n_bytes: usize) -> u64 {
    let digits = take(bytes, n_bytes).iter();
    digits.fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn text(bytes: &mut &[u8], length: usize) -> Node {
    Node::Text(String::from_utf8(take(bytes, length).to_vec()).unwrap())
}

fn list(bytes: &mut &[u8], length: usize) -> Node {
    Node::List((0..length).map(|_| read(bytes)).collect())
}

fn map(bytes: &mut &[u8], length: usize) -> Node {
    let entry = |_| match read(bytes) {
        Node::Text(name) => (name, read(bytes)),
        other => panic!("a field named {other:?}"),
    };
    Node::Map((0..length).map(entry).collect())
}

impl Node {
    /// Adds its bytes.
    pub(super) fn write(&self, target: &mut Vec<u8>) {
        let mut head = |marker: u8, digits: &[u8]| {
            target.push(marker);
            target.extend(digits);
        };
        let length = |length: usize| (length as u32).to_be_bytes();
        match self {
            Self::Nothing => head(0xc0, &[]),
            Self::Truth(truth) => head(0xc2 + u8::from(*truth), &[]),
            Self::Whole(number) => head(0xcf, &number.to_be_bytes()),
            Self::Negative(number) => head(0xd3, &number.to_be_bytes()),
            Self::Number(number) => head(0xcb, &number.to_be_bytes()),
            Self::Text(text) => {
                head(0xdb, &length(text.len()));
                target.extend(text.as_bytes());
            }
            Self::Bytes(bytes) => {
                head(0xc6, &length(bytes.len()));
                target.extend(bytes);
            }
            Self::List(items) => {
                head(0xdd, &length(items.len()));
                items.iter().for_each(|item| item.write(target));
            }
            Self::Map(entries) => {
                head(0xdf, &length(entries.len()));
                for (name, value) in entries {
                    Self::Text(name.clone()).write(target);
                    value.write(target);
                }
            }
        }
    }

    /// Every value in it, by the way that leads there; of long lists some entries.
    pub(super) fn ways(&self) -> Vec<Vec<usize>> {
        let children: Vec<(usize, &Self)> = match self {
            Self::List(items) => {
                let step = items.len().div_ceil(3).max(1);
                items.iter().enumerate().step_by(step).collect()
            }
            Self::Map(entries) => entries.iter().map(|entry| &entry.1).enumerate().collect(),
            _ => Vec::new(),
        };
        let mut ways = vec![Vec::new()];
        for (index, child) in children {
            for rest in child.ways() {
                ways.push([&[index], rest.as_slice()].concat());
            }
        }
        ways
    }

    /// The value at the end of a way, and the names that lead there.
    pub(super) fn at(&mut self, way: &[usize]) -> (&mut Self, String) {
        let Some((&first, rest)) = way.split_first() else {
            return (self, String::new());
        };
        let (child, name) = match self {
            Self::List(items) => (&mut items[first], first.to_string()),
            Self::Map(entries) => {
                let (name, child) = &mut entries[first];
                (child, name.clone())
            }
            other => panic!("{other:?} has no parts"),
        };
        let (node, names) = child.at(rest);
        (node, format!("{name}.{names}"))
    }

    /// Other values in its place.
    pub(super) fn forged(&self) -> Vec<Self> {
        match self {
            Self::Nothing => vec![Self::Whole(1), Self::Number(1.5), Self::List(Vec::new())],
            Self::Truth(truth) => vec![Self::Truth(!truth)],
            Self::Whole(number) => {
                let next = number.wrapping_add(1);
                let others = [
                    0,
                    1,
                    number / 2,
                    next,
                    20_000,
                    1 << 40,
                    i64::MAX as u64,
                    u64::MAX,
                ];
                others.map(Self::Whole).to_vec()
            }
            Self::Negative(_) => vec![Self::Whole(0), Self::Negative(i64::MIN)],
            Self::Number(_) => UNUSUAL.map(Self::Number).to_vec(),
            Self::Text(text) => vec![Self::Text(String::new()), Self::Text(format!("{text}x"))],
            Self::Bytes(bytes) => forged_bytes(bytes),
            Self::List(items) => {
                let shorter = &items[..items.len().saturating_sub(1)];
                let longer = [items.as_slice(), &items[shorter.len()..]].concat();
                let reversed = items.iter().rev().cloned().collect();
                vec![
                    Self::List(Vec::new()),
                    Self::List(shorter.to_vec()),
                    Self::List(longer),
                    Self::List(reversed),
                ]
            }
            Self::Map(entries) => {
                let mut forged = vec![Self::Nothing, Self::Map(Vec::new())];
                forged.extend(self.reshaped());
                if let [(name, value)] = entries.as_slice() {
                    let other = Self::Map(vec![(format!("{name}x"), value.clone())]);
                    forged.push(other);
                }
                forged
            }
        }
    }

    /// An array of other shapes that agree with its numbers: a row more or less, a column more or less, turned, empty.
    fn reshaped(&self) -> Vec<Self> {
        let Self::Map(entries) = self else {
            return Vec::new();
        };
        let [(_, Self::List(shape)), (_, Self::Bytes(values))] = entries.as_slice() else {
            return Vec::new();
        };
        let shape: Vec<u64> = (shape.iter())
            .map(|side| match side {
                Self::Whole(side) => *side,
                other => panic!("a side of {other:?}"),
            })
            .collect();
        let size: u64 = shape.iter().product();
        if size == 0 {
            return Vec::new();
        }
        let width = values.len() / size as usize;
        let mut shapes = vec![vec![0; shape.len()], shape.iter().rev().copied().collect()];
        for axis in 0..shape.len() {
            for side in [shape[axis] - 1, shape[axis] + 1] {
                let mut other = shape.clone();
                other[axis] = side;
                shapes.push(other);
            }
            if shape.len() > 1 {
                // No numbers, but a side as long as somebody likes.
                let mut other = vec![0; shape.len()];
                other[axis] = 1 << 40;
                shapes.push(other);
            }
        }
        let array = |shape: Vec<u64>| {
            let size = shape.iter().product::<u64>() as usize * width;
            let values = values.iter().cycle().take(size).copied().collect();
            let sides = shape.into_iter().map(Self::Whole).collect();
            let parts = [Self::List(sides), Self::Bytes(values)];
            let names = entries.iter().map(|entry| entry.0.clone());
            Self::Map(names.zip(parts).collect())
        };
        shapes.into_iter().map(array).collect()
    }
}

const UNUSUAL: [f64; 8] = [
    0.0,
    -1.0,
    0.5,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1e308,
    1e-320,
];

/// Other numbers in the place of some, and fewer and more of them.
fn forged_bytes(bytes: &[u8]) -> Vec<Node> {
    let mut forged = vec![
        Vec::new(),
        bytes[..bytes.len().saturating_sub(1)].to_vec(),
        [bytes, &[0; 8]].concat(),
    ];
    if bytes.len() >= 8 {
        let middle = bytes.len() / 16 * 8;
        for value in UNUSUAL {
            let mut one = bytes.to_vec();
            one[middle..middle + 8].copy_from_slice(&value.to_le_bytes());
            forged.push(one);
            let all = value.to_le_bytes().into_iter().cycle();
            forged.push(all.take(bytes.len()).collect());
        }
    }
    if bytes.len() >= 4 {
        for value in [1_000_000_u32, u32::MAX] {
            let mut last = bytes.to_vec();
            let start = last.len() - 4;
            last[start..].copy_from_slice(&value.to_le_bytes());
            forged.push(last);
        }
    }
    forged.into_iter().map(Node::Bytes).collect()
}
