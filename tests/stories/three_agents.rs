//! Three agents with scripted models, each with a session over the Model Context Protocol and a task. Every ID, address and
//! range comes from a result, and each model makes a mistake or lacks access once. The sandbox shows afterwards what they did.

use serde_json::{Value, json};

use crate::{
    agent_loop::{Conversation, Step, run},
    browser::Browser,
    mcp_agent::Agent,
    products::{connect, create, link},
    stage::{ADA, GRACE, Stage},
};

const LABELS: &str = "mail_modify_message_labels";
const RESPOND: &str = "calendar_respond_to_event";
const READ_RANGE: &str = "sheets_get_values";

/// Archives promotions, labels the mails of the engine works, and answers a person who asks something.
fn sort_the_inbox(seen: &Conversation) -> Result<String, Step> {
    let mut label = seen.quoted()[0].to_owned();
    let inbox = json!({ "query": "in:inbox", "max_results": 50 });
    let inbox = seen.call("mail_fetch_mails", inbox)?;
    let mut answered = Vec::new();
    for mail in list(&inbox["messages"]) {
        let (id, from) = (&mail["id"], text(&mail["from"]));
        let has = |label: &str| list(&mail["labels"]).contains(&json!(label));
        let removed = |labels: &[&str]| json!({ "message_id": id, "remove_label_ids": labels });
        if has("CATEGORY_PROMOTIONS") {
            seen.call(LABELS, removed(&["INBOX", "UNREAD"]))?;
        } else if from.contains("@engine.example") {
            let added = |label: &str| json!({ "message_id": id, "add_label_ids": [label] });
            if let Err(error) = seen.attempt(LABELS, added(&label))? {
                // The error lists the labels of the mailbox.
                let (_, known) = error.split_once("it has ").expect(&error);
                let mut known = known.lines().next().unwrap_or_default().split(", ");
                let nearest = known.find(|known| label.starts_with(known)).expect(&error);
                label = nearest.to_owned();
                seen.call(LABELS, added(&label))?;
            }
        } else if has("UNREAD") && text(&mail["subject"]).ends_with('?') {
            let reply = json!({ "message_id": id, "body": "Yes, gladly.\n\nAda" });
            seen.call("mail_reply_to_message", reply)?;
            seen.call(LABELS, removed(&["UNREAD"]))?;
            answered.push(from);
        }
    }
    Ok(format!("Answered {}.", answered.join(", ")))
}

/// Accepts the invitation that the user means, and writes to its organizer.
fn accept_an_invitation(seen: &Conversation) -> Result<String, Step> {
    let week =
        json!({ "time_min": "2026-05-04", "time_max": "2026-05-10", "order_by": "startTime" });
    let events = seen.call("calendar_list_events", week)?;
    let is_meant = |event: &&Value| {
        event["my_response"] == "needsAction" && text(&event["summary"]).contains(seen.quoted()[0])
    };
    let event = list(&events["events"]).iter().find(is_meant).unwrap();
    let response = |word: &str| json!({ "event_id": event["id"], "response": word });
    let event = match seen.attempt(RESPOND, response("yes"))? {
        Ok(event) => event,
        Err(error) => {
            // The error lists the responses.
            let mut words = error.split(|letter: char| !letter.is_ascii_alphabetic());
            let word = words.find(|word| word.starts_with("accept")).expect(&error);
            seen.call(RESPOND, response(word))?
        }
    };
    let organizer = text(&event["organizer"]);
    let mail = json!({
        "to": [organizer],
        "subject": event["summary"],
        "body": format!("I'll come at {}, and bring the cards.\n\nAda", text(&event["start"])),
    });
    seen.call("mail_send_message", mail)?;
    Ok(format!("{organizer} knows that you come."))
}

/// Adds two ideas below a table, and lists them on a page of Notion.
fn note_ideas(seen: &Conversation) -> Result<String, Step> {
    let [file_name, sheet_name, page_title] = seen.quoted()[..] else {
        panic!("the task names a spreadsheet, a sheet and a page");
    };
    let query = format!("name contains '{file_name}'");
    let files = seen.call("drive_search_files", json!({ "query": query }))?;
    let is_spreadsheet = |file: &&Value| text(&file["type"]).ends_with(".spreadsheet");
    let file = list(&files["files"]).iter().find(is_spreadsheet).unwrap();
    let cells = |range: &str| json!({ "spreadsheet_id": file["id"], "range": range });
    let table = match seen.attempt(READ_RANGE, cells(&format!("{sheet_name}!A:B")))? {
        Ok(table) => table,
        Err(error) => {
            // The error lists the sheets in the form of a range.
            let (_, titles) = error.split_once("sheets are ").expect(&error);
            let mut titles = titles.lines().next().unwrap_or_default().split(", ");
            let title = titles
                .find(|title| title.contains(sheet_name))
                .expect(&error);
            seen.call(READ_RANGE, cells(&format!("{title}!A:B")))?
        }
    };

    let row = |idea: &str, share: f64| -> Value {
        let columns = list(&table["values"][0]).iter();
        let cells = columns.map(|column| match text(column) {
            "Idea" => json!(idea),
            "Share" => json!(share),
            _ => Value::Null,
        });
        cells.collect()
    };
    let mut rows = cells(text(&table["range"]));
    rows["values"] = json!([row("Punched cards", 0.25), row("Night shift", 0.5)]);
    let appended = seen.call("sheets_append_values", rows)?;
    let added = text(&appended["updates"]["updatedRange"]);
    let added = seen.call(READ_RANGE, cells(added))?;

    let pages = seen.call("workspace_search", json!({ "query": page_title }))?;
    let is_meant = |page: &&Value| page["object"] == "page" && page["title"] == page_title;
    let page = list(&pages["results"]).iter().find(is_meant).unwrap();
    let block = |kind: &str, text: String| json!({ "type": kind, kind: { "rich_text": [{ "text": { "content": text } }] } });
    let mut blocks = vec![block(
        "heading_2",
        format!("Ideas of {}", text(&file["name"])),
    )];
    for row in list(&added["values"]) {
        let idea = format!("{}: {}", text(&row[0]), text(&row[1]));
        blocks.push(block("bulleted_list_item", idea));
    }
    blocks.push(block("to_do", String::from("Discuss the ideas")));
    let blocks = json!({ "block_id": page["id"], "blocks": blocks });
    let saved = seen.call("workspace_append_blocks", blocks)?;
    Ok(format!("Added {} blocks.", list(&saved["blocks"]).len()))
}

#[track_caller]
fn list(value: &Value) -> &[Value] {
    value
        .as_array()
        .unwrap_or_else(|| panic!("no list: {value}"))
}

#[track_caller]
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// A person's data in the sandbox.
fn world(stage: &Stage, person: &str) -> Value {
    let world = stage.sandbox.sandbox.world();
    let mut people = list(&world["users"]).iter();
    people.find(|one| one["email"] == person).unwrap().clone()
}

/// The only item of a list that matches.
#[track_caller]
fn only(all: &Value, fits: impl Fn(&Value) -> bool) -> &Value {
    let found: Vec<&Value> = list(all).iter().filter(|one| fits(one)).collect();
    assert_eq!(found.len(), 1, "{all}");
    found[0]
}

/// A request to a product as a user of the application.
async fn product(stage: &Stage, request: Value) -> Value {
    let reply = stage.post("/v1/proxy", &request).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

/// Sets the permissions that the connection `mail` asks for.
async fn permit(stage: &Stage, permissions: &[&str]) {
    let change = json!({ "permissions": permissions });
    let changed = stage.patch("/v1/connections/mail", &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text());
}

/// The agent of `user-1` does a task. Returns its last words, and the tools that failed once.
async fn work(
    stage: &Stage,
    task: &str,
    model: fn(&Conversation) -> Result<String, Step>,
) -> (String, Vec<String>) {
    let agent = Agent::new(stage, json!({ "identifier": "user-1" })).await;
    let (said, conversation) = run(stage, &agent, task, model).await;
    let failures = conversation.failures();
    (said, failures.into_iter().map(str::to_owned).collect())
}

#[tokio::test]
async fn an_agent_sorts_the_inbox_and_replies() {
    let stage = Stage::new().await;
    permit(&stage, &["organize"]).await;
    stage.connect("user-1", ADA).await;
    let before = world(&stage, ADA);

    let task = r#"Archive what is only advertising, label the mails of the engine works "Engines", and answer questions."#;
    let (said, failures) = work(&stage, task, sort_the_inbox).await;
    assert_eq!(said, "Answered Grace Hopper <grace@example.com>.");
    assert_eq!(failures, [LABELS]);

    let after = world(&stage, ADA);
    for mail in list(&before["messages"]) {
        let mut expected: Vec<&str> = list(&mail["labels"]).iter().map(text).collect();
        match text(&mail["subject"]) {
            subject if subject.starts_with("The Loom") => {
                expected.retain(|label| !["INBOX", "UNREAD"].contains(label));
            }
            "Pictures of the workshop" => expected.push("Label_1"),
            subject if subject.starts_with("Invitation") => expected.push("Label_1"),
            "Lunch on Thursday?" => expected.retain(|label| *label != "UNREAD"),
            _ => {}
        }
        let now = only(&after["messages"], |one| one["id"] == mail["id"]);
        let mut labels: Vec<&str> = list(&now["labels"]).iter().map(text).collect();
        expected.sort_unstable();
        labels.sort_unstable();
        assert_eq!(labels, expected, "{}", mail["subject"]);
    }
    let count = |person: &Value| list(&person["messages"]).len();
    assert_eq!(count(&after), count(&before) + 1);

    let asked = only(&before["messages"], |mail| {
        mail["subject"] == "Lunch on Thursday?"
    });
    let path = format!("/gmail/v1/users/me/threads/{}", text(&asked["thread_id"]));
    let thread =
        json!({ "connection_name": "mail", "identifier": "user-1", "method": "GET", "path": path });
    let thread = product(&stage, thread).await;
    let has = |mail: &Value, label: &str| list(&mail["labelIds"]).contains(&json!(label));
    let reply = only(&thread["messages"], |mail| has(mail, "SENT"));
    let asked = only(&thread["messages"], |mail| mail["id"] == asked["id"]);
    assert_eq!(reply["threadId"], asked["threadId"]);
    let header = |mail: &Value, name: &str| {
        let headers = &mail["payload"]["headers"];
        let is_it = |header: &Value| text(&header["name"]).eq_ignore_ascii_case(name);
        text(&only(headers, is_it)["value"]).to_owned()
    };
    let message_id = header(asked, "Message-ID");
    assert_eq!(header(reply, "In-Reply-To"), message_id);
    assert_eq!(header(reply, "References"), message_id);
    assert_eq!(header(reply, "Subject"), "Re: Lunch on Thursday?");
    assert!(header(reply, "To").contains(GRACE), "{reply}");
    let grace = world(&stage, GRACE);
    let received = only(&grace["messages"], |mail| {
        mail["subject"] == "Re: Lunch on Thursday?"
    });
    assert!(
        text(&received["text"]).starts_with("Yes, gladly.\r\n\r\nAda\r\n\r\nOn "),
        "{received}"
    );
}

#[tokio::test]
async fn an_agent_accepts_an_invitation_and_writes_to_the_organizer() {
    const READONLY: &str = "https://www.googleapis.com/auth/gmail.readonly";
    const SUBJECT: &str = "Demonstration of the compiler";
    let stage = Stage::new().await;
    permit(&stage, &["read", "send"]).await;
    // Ada lets the application read her mails, and nothing else.
    let mut browser = Browser::new();
    let page = browser.open(&stage.link("user-1").await).await;
    let back = stage.consent(&page, ADA, &["openid", READONLY]);
    browser.visit(&back).await;
    connect(&stage, "calendar").await;
    let of_grace = link(&stage, "calendar", "user-2").await;
    let done = Browser::new().connect(&stage, &of_grace, GRACE).await;
    assert_eq!(done.status, 200, "{}", done.text());
    let invitation = json!({
        "summary": SUBJECT,
        "start": { "dateTime": "2026-05-08T15:00:00-04:00" },
        "end": { "dateTime": "2026-05-08T16:00:00-04:00" },
        "attendees": [
            { "email": "charles@engine.example", "responseStatus": "declined", "comment": "Too loud" },
            { "email": ADA, "displayName": "Ada Lovelace", "optional": true },
            { "email": "mary@science.example", "responseStatus": "tentative", "additionalGuests": 2 },
        ],
    });
    let invitation = json!({
        "connection_name": "calendar", "identifier": "user-2", "method": "POST",
        "path": "/calendar/v3/calendars/primary/events", "body": invitation,
    });
    product(&stage, invitation).await;
    let calendar = |person: &str| {
        let world = world(&stage, person);
        let own = only(&world["calendars"], |calendar| calendar["primary"] == true);
        own["events"].clone()
    };
    let before = calendar(ADA);

    let task = r#"Accept the invitation to see the "compiler", and tell the organizer that I'll bring the cards."#;
    let (said, failures) = work(&stage, task, accept_an_invitation).await;
    assert_eq!(said, format!("{GRACE} knows that you come."));
    assert_eq!(failures, [RESPOND, "mail_send_message"]);

    let after = calendar(ADA);
    for event in list(&before) {
        let mut expected = event.clone();
        let now = only(&after, |one| one["id"] == event["id"]);
        if event["summary"] == SUBJECT {
            assert_eq!(event["guests"][1]["responseStatus"], "needsAction");
            expected["guests"][1]["responseStatus"] = json!("accepted");
            expected["updated"] = now["updated"].clone();
        }
        assert_eq!(now, &expected);
    }
    assert_eq!(list(&after).len(), list(&before).len());
    let for_grace = calendar(GRACE);
    let guests =
        |events: &Value| only(events, |event| event["summary"] == SUBJECT)["guests"].clone();
    assert_eq!(guests(&for_grace), guests(&after));

    let (ada, grace) = (world(&stage, ADA), world(&stage, GRACE));
    let sent = only(&ada["messages"], |mail| mail["subject"] == SUBJECT);
    assert_eq!(sent["labels"], json!(["SENT"]));
    let received = only(&grace["messages"], |mail| mail["subject"] == SUBJECT);
    assert!(text(&received["from"]).contains(ADA), "{received}");
    assert!(
        text(&received["text"]).contains("bring the cards"),
        "{received}"
    );
}

#[tokio::test]
async fn an_agent_extends_a_spreadsheet_and_a_page() {
    let stage = Stage::new().await;
    for product in ["drive", "sheets"] {
        connect(&stage, product).await;
    }
    // Ada hasn't connected Notion yet.
    create(&stage, "workspace").await;
    let table = |world: &Value| {
        let file = only(&world["spreadsheets"], |file| {
            file["title"] == "Budget 2026"
        });
        only(&file["sheets"], |sheet| sheet["title"] == "It's R/D").clone()
    };
    let before = table(&world(&stage, ADA));

    let task = r#"Add our two ideas to the file "Budget" in the sheet "R/D", and list them on the page "Engine handbook"."#;
    let (said, failures) = work(&stage, task, note_ideas).await;
    assert_eq!(said, "Added 4 blocks.");
    assert_eq!(failures, [READ_RANGE, "workspace_search"]);

    let ada = world(&stage, ADA);
    let after = table(&ada);
    let old = list(&before["cells"]);
    let (kept, added) = list(&after["cells"]).split_at(old.len());
    assert_eq!(kept, old);
    let expected = json!([
        { "row": 2, "column": 0, "entered": "Punched cards" },
        { "row": 2, "column": 1, "entered": 0.25 },
        { "row": 3, "column": 0, "entered": "Night shift" },
        { "row": 3, "column": 1, "entered": 0.5 },
    ]);
    assert_eq!(added, list(&expected));

    let page = only(&ada["workspace"]["pages"], |page| {
        page["title"] == "Engine handbook"
    });
    let path = format!("/v1/blocks/{}/children", text(&page["id"]));
    let blocks = json!({ "connection_name": "workspace", "identifier": "user-1", "method": "GET", "path": path });
    let blocks = product(&stage, blocks).await;
    // The sandbox lists a page's own pages and databases at its end.
    let blocks = list(&blocks["results"]).iter();
    let blocks = blocks.filter(|block| !text(&block["type"]).starts_with("child_"));
    let blocks = blocks.map(|block| {
        let kind = text(&block["type"]);
        let words = text(&block[kind]["rich_text"][0]["plain_text"]);
        (kind, words)
    });
    let expected = [
        ("heading_1", "The engine"),
        (
            "paragraph",
            "It weaves algebraic patterns just as the loom weaves flowers and leaves.",
        ),
        ("bulleted_list_item", "The mill does the work."),
        ("bulleted_list_item", "The store keeps the numbers."),
        ("to_do", "Oil the barrels"),
        ("heading_2", "Ideas of Budget 2026"),
        ("bulleted_list_item", "Punched cards: 0.25"),
        ("bulleted_list_item", "Night shift: 0.5"),
        ("to_do", "Discuss the ideas"),
    ];
    assert_eq!(blocks.collect::<Vec<_>>(), expected);
}
