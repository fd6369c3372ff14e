//! The bytes that a secret is bound to.

use uuid::Uuid;

/// Data that is authenticated with a secret, but not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AssociatedData<'a> {
    pub(crate) table: &'a str,
    row: Uuid,
    column: &'a str,
    generation: u64,
    client_epoch: u64,
}

impl<'a> AssociatedData<'a> {
    pub(crate) fn new(table: &'a str, row: Uuid, column: &'a str) -> Self {
        Self {
            table,
            row,
            column,
            generation: 0,
            client_epoch: 0,
        }
    }
    pub(crate) fn generation(mut self, generation: u64) -> Self {
        self.generation = generation;
        self
    }

    /// Epoch of the connection's client that the secret belongs to.
    pub(crate) fn client_epoch(mut self, client_epoch: u64) -> Self {
        self.client_epoch = client_epoch;
        self
    }

    /// Length-prefixed, so that no two places have the same bytes. The first client's epoch is omitted, because secrets
    /// from before epochs belong to it.
    pub(crate) fn bytes(self) -> Vec<u8> {
        let generation = self.generation.to_be_bytes();
        let client_epoch = self.client_epoch.to_be_bytes();
        let parts: [&[u8]; 6] = [
            b"stead/v1",
            self.table.as_bytes(),
            self.row.as_bytes(),
            self.column.as_bytes(),
            &generation,
            &client_epoch,
        ];
        let bound = if self.client_epoch == 0 { 5 } else { 6 };
        parts
            .iter()
            .take(bound)
            .flat_map(|part| {
                (part.len() as u64)
                    .to_be_bytes()
                    .into_iter()
                    .chain(part.iter().copied())
            })
            .collect()
    }
}

#[cfg(test)]
impl super::Place for AssociatedData<'static> {
    fn data(&self) -> AssociatedData<'_> {
        *self
    }
}
