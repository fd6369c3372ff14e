// googleapis: `rootUrl` in the options of each call names the proxy host; in those of the API it does so for all but uploads.
'use strict';

const assert = require('node:assert');
const { Readable } = require('node:stream');
const { google } = require('googleapis');
const { check, proxyUrl, token } = require('./checks.cjs');

const at = { rootUrl: `${proxyUrl}/` };
const auth = (connection, access) => {
  const client = new google.auth.OAuth2();
  client.setCredentials({ access_token: token(connection, access) });
  return client;
};
const gmail = google.gmail({ version: 'v1', auth: auth('mail'), ...at });
const calendar = google.calendar({ version: 'v3', auth: auth('calendar'), ...at });
const sheets = google.sheets({ version: 'v4', auth: auth('sheets'), ...at });
const drive = google.drive({ version: 'v3', auth: auth('drive') });

check('gmail: profile', async () => {
  const { data } = await gmail.users.getProfile({ userId: 'me' });
  return data.emailAddress;
});

check('gmail: list, page by page', async () => {
  const ids = [];
  let pageToken;
  do {
    const { data } = await gmail.users.messages.list({ userId: 'me', maxResults: 5, pageToken });
    ids.push(...data.messages.map((message) => message.id));
    pageToken = data.nextPageToken;
  } while (pageToken);
  assert.ok(ids.length > 5 && new Set(ids).size === ids.length);
  return `${ids.length} messages`;
});

check('gmail: an error has its status', async () => {
  const call = gmail.users.messages.get({ userId: 'me', id: '0123456789abcdef' });
  await assert.rejects(call, (error) => error.status === 404);
});

check('calendar: insert and delete', async () => {
  const requestBody = {
    summary: 'By an SDK',
    start: { dateTime: '2026-12-02T10:00:00Z' },
    end: { dateTime: '2026-12-02T11:00:00Z' },
  };
  const { data } = await calendar.events.insert({ calendarId: 'primary', requestBody });
  await calendar.events.delete({ calendarId: 'primary', eventId: data.id });
});

check('sheets: create, write and read', async () => {
  const { data } = await sheets.spreadsheets.create({ requestBody: { properties: { title: 'By an SDK' } } });
  const where = { spreadsheetId: data.spreadsheetId, range: 'A1:B1' };
  const write = { ...where, valueInputOption: 'RAW', requestBody: { values: [['Ada', 36]] } };
  await sheets.spreadsheets.values.update(write);
  const read = await sheets.spreadsheets.values.get(where);
  assert.deepStrictEqual(read.data.values, [['Ada', '36']]);
});

check('drive: list', async () => {
  const { data } = await drive.files.list({ pageSize: 3 }, at);
  assert.strictEqual(data.files.length, 3);
});

check('drive: a multipart upload from a stream, read again', async () => {
  const media = { mimeType: 'text/plain', body: Readable.from(['hello ', 'stream']) };
  const { data } = await drive.files.create({ requestBody: { name: 'stream.txt' }, media }, at);
  const read = await drive.files.get({ fileId: data.id, alt: 'media' }, { ...at, responseType: 'text' });
  assert.strictEqual(read.data, 'hello stream');
});

check('drive: a token that only reads reads, and does not write', async () => {
  const reader = google.drive({ version: 'v3', auth: auth('drive', 'READ') });
  assert.ok((await reader.files.list({}, at)).data.files.length > 0);
  const media = { mimeType: 'text/plain', body: 'x' };
  const write = reader.files.create({ requestBody: { name: 'x.txt' }, media }, at);
  await assert.rejects(write, (error) => error.status === 403);
});
