// How a record is written, field by field. `fields` includes it, and so does its example of a field without a class, which does not
// compile.

/// The class of what a method of the lens writes; parts that have fields of their own have none.
macro_rules! class {
    (metric) => {
        Some(FieldClass::Metric)
    };
    (id) => {
        Some(FieldClass::Metric)
    };
    (word) => {
        Some(FieldClass::Metric)
    };
    (name) => {
        Some(FieldClass::Name)
    };
    (identity) => {
        Some(FieldClass::Identity)
    };
    (prefix) => {
        Some(FieldClass::Name)
    };
    (unit) => {
        Some(FieldClass::Name)
    };
    (key) => {
        Some(FieldClass::Identity)
    };
    (path) => {
        Some(FieldClass::Identity)
    };
    (error_text) => {
        Some(FieldClass::ErrorText)
    };
    (code) => {
        Some(FieldClass::Code)
    };
    (frames) => {
        Some(FieldClass::Code)
    };
    (payload) => {
        Some(FieldClass::Payload)
    };
    (nested) => {
        None
    };
}

/// What is written by hand has a constant that says how it is told, unless it is a number or has parts of its own.
macro_rules! by_hand {
    (metric) => {};
    (nested) => {};
    ($how:ident $constant:ident) => {};
}

/// What a field is called on the wire, where that is no name in Rust.
macro_rules! called {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $name:literal) => {
        $name
    };
}

macro_rules! fields {
    (
        $($of:literal $record:ident {
            $($field:ident $(as $name:literal)? : $how:ident $(($noun:literal))?),+ $(,)?
        })+
        $(by hand: $($hand_of:literal $hand:ident {
            $($hand_field:ident : $hand_how:ident $(as $constant:ident)?),+ $(,)?
        })+)?
    ) => {
        $(impl Shared for $record {
            fn share(&self, lens: &mut Lens<'_>) -> Result<Value> {
                // All of them: there is no `..`.
                let Self { $($field),+ } = self;
                let mut shown = Map::new();
                $({
                    let name = called!($field $($name)?);
                    let class = class!($how).unwrap_or(FieldClass::Metric);
                    let field = Field { of: $of, name, class };
                    shown.insert(name.into(), lens.$how(field, $($noun,)? $field)?);
                })+
                Ok(Value::Object(shown))
            }
        })+

        /// Every field of a record that is written from here, with what it tells.
        const FIELDS: &[(&str, &str, Option<FieldClass>)] = &[
            $($(($of, called!($field $($name)?), class!($how)),)+)+
        ];

        // What has a form of its own on the wire is written by hand, with these.
        $($(
            const _: fn(&$hand) = |record| {
                // All of them: there is no `..`.
                let $hand { $($hand_field: _),+ } = record;
            };
            $(by_hand!($hand_how $($constant)?);)+
            $($(
                const $constant: Field = Field {
                    of: $hand_of,
                    name: stringify!($hand_field),
                    class: match class!($hand_how) {
                        Some(class) => class,
                        None => FieldClass::Metric,
                    },
                };
            )?)+
        )+)?

        /// Those of them that are more than numbers beside others.
        const BY_HAND: &[Field] = &[$($($($($constant,)?)+)+)?];
    };
}
