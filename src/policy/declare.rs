//! The macro that makes a table of a policy from the declaration of its keys.

/// Declares a table: the policy's struct, what one text says of it, and all that follows from its keys.
macro_rules! table {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident, $layer:ident $(, first $before:ident)? {
            $(
                #[doc = $says:literal]
                $seen:vis $field:ident: $type:ty = $shape:expr, $rule:expr $(, $built_in:expr)?;
            )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone)]
        $vis struct $name {
            $( #[doc = $says] $seen $field: $type, )+
        }

        /// What one text says of it.
        #[derive(Debug, Default)]
        pub(super) struct $layer {
            $( pub(super) $field: <$type as Cell>::Layer, )+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $field: table!(@built_in $type $(, $built_in)?), )+ }
            }
        }

        impl Table for $name {
            type Layer = $layer;
            const KEYS: &'static [Key] = &[ $( Key { name: stringify!($field), shape: $shape, says: said($says) }, )+ ];

            fn read(section: &Section<'_, '_>) -> Self::Layer {
                $layer { $( $field: <$type as Cell>::read(section, stringify!($field)), )+ }
            }

            fn cover(&mut self, layer: Self::Layer) {
                $(
                    let mut layer = layer;
                    $before(self, &mut layer);
                )?
                $( Cell::cover(&mut self.$field, layer.$field); )+
            }

            fn tighten(&self, layer: &Self::Layer, check: &mut Check<'_, '_>) {
                $(
                    let rule: Untrusted<<$type as Cell>::Said> = $rule;
                    Cell::tighten(&self.$field, &layer.$field, &rule, check);
                )+
            }

            fn show(&self, page: &mut Page) {
                $( Cell::show(&self.$field, page, stringify!($field)); )+
            }
        }
    };
    (@built_in $type:ty) => { <$type>::default() };
    (@built_in $type:ty, $value:expr) => { <$type>::built_in($value) };
}

pub(super) use table;

/// A doc comment without the blank before it.
pub(super) const fn said(doc: &'static str) -> &'static str {
    match (doc.as_bytes(), doc.split_at_checked(1)) {
        ([b' ', ..], Some((_, rest))) => rest,
        _ => doc,
    }
}
