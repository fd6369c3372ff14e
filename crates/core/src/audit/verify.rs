//! Verifies the log from its first entry, and the rows that it records.

use super::rows::{Told, suspect_rows};
use crate::{
    Result,
    context::Context,
    domain,
    resource::{AuditFault, AuditHead, AuditVerification, VerifyAudit},
};

/// Number of entries read at a time.
const READ: u32 = 500;

/// Reports the first entry that is invalid or isn't the expected one.
pub(crate) async fn verify(context: &Context, verify: VerifyAudit) -> Result<AuditVerification> {
    let expect = verify.expected.expect.as_ref();
    let (mut head, mut told) = (domain::AuditHead::start(), Told::default());
    let fault = follow_all(context, &mut head, &mut told, expect).await?;
    let told = fault.is_none().then_some(told);
    let mut reached = head.clone();
    let rows = suspect_rows(context, told, || async {
        let mut later = Told::default();
        follow_all(context, &mut reached, &mut later, None).await?;
        Ok(later)
    });
    let rows = rows.await?;
    let missing = expect.filter(|expected| expected.number > head.number);
    let fault = fault.or_else(|| {
        let expected = missing?.number;
        let number = head.number.saturating_add(1);
        let ends = match head.number {
            0 => String::from("the log is empty"),
            last => format!("the log ends with entry {last}"),
        };
        Some(AuditFault::new(
            number,
            format!("{ends}, but it once had an entry {expected}, so its end was removed"),
        ))
    });
    let head = (head.number > 0).then(|| AuditHead {
        number: head.number,
        hash: head.hash.as_str().to_owned(),
    });
    Ok(AuditVerification::new(head, fault, rows))
}

/// Continues to the end of the log, or to the first invalid entry.
async fn follow_all(
    context: &Context,
    head: &mut domain::AuditHead,
    told: &mut Told,
    expect: Option<&AuditHead>,
) -> Result<Option<AuditFault>> {
    loop {
        let entries = context.store.audit_chain(head.number, READ).await?;
        let last = entries.len() < READ as usize;
        let fault = entries.into_iter().find_map(|entry| {
            if let Ok(entry) = &entry {
                told.note(entry);
            }
            follow(head, entry, expect)
        });
        if fault.is_some() || last {
            return Ok(fault);
        }
    }
}

/// Continues to the next entry, unless it's invalid.
fn follow(
    head: &mut domain::AuditHead,
    entry: Result<domain::AuditEntry>,
    expect: Option<&AuditHead>,
) -> Option<AuditFault> {
    let number = head.number.saturating_add(1);
    let entry = match entry {
        Ok(entry) => entry,
        Err(error) => return Some(AuditFault::new(number, error.message())),
    };
    let expected = expect.filter(|expected| expected.number == entry.number);
    let fault = entry.fault_after(head).or_else(|| {
        let expected = expected.filter(|expected| expected.hash != entry.hash.as_str())?;
        Some(format!(
            "entry {} has a different hash than the one you kept, so the log was rewritten up to this entry",
            expected.number
        ))
    });
    match fault {
        Some(message) => Some(AuditFault::new(number, message)),
        None => {
            *head = entry.head();
            None
        }
    }
}
