// googleapis: `rootUrl` in the options of each call names the proxy. In the options of the API its path is lost.
'use strict';

const assert = require('node:assert');
const { Readable } = require('node:stream');
const { google } = require('googleapis');
const { baseUrl, check, token } = require('./checks.cjs');

const auth = new google.auth.OAuth2();
auth.setCredentials({ access_token: token });
const gmail = google.gmail({ version: 'v1', auth });
const calendar = google.calendar({ version: 'v3', auth });
const drive = google.drive({ version: 'v3', auth });
const sheets = google.sheets({ version: 'v4', auth });
const at = (connection) => ({ rootUrl: `${baseUrl(connection)}/` });

check('gmail: profile', async () => {
  const { data } = await gmail.users.getProfile({ userId: 'me' }, at('mail'));
  return data.emailAddress;
});

check('gmail: list, page by page', async () => {
  const ids = [];
  let pageToken;
  do {
    const { data } = await gmail.users.messages.list({ userId: 'me', maxResults: 5, pageToken }, at('mail'));
    ids.push(...data.messages.map((message) => message.id));
    pageToken = data.nextPageToken;
  } while (pageToken);
  assert.ok(ids.length > 5 && new Set(ids).size === ids.length);
  return `${ids.length} messages`;
});

check('gmail: an error has its status', async () => {
  const call = gmail.users.messages.get({ userId: 'me', id: '0123456789abcdef' }, at('mail'));
  await assert.rejects(call, (error) => error.status === 404);
});

check('calendar: insert and delete', async () => {
  const requestBody = {
    summary: 'By an SDK',
    start: { dateTime: '2026-12-02T10:00:00Z' },
    end: { dateTime: '2026-12-02T11:00:00Z' },
  };
  const { data } = await calendar.events.insert({ calendarId: 'primary', requestBody }, at('calendar'));
  await calendar.events.delete({ calendarId: 'primary', eventId: data.id }, at('calendar'));
});

check('sheets: create, write and read', async () => {
  const { data } = await sheets.spreadsheets.create({ requestBody: { properties: { title: 'By an SDK' } } }, at('sheets'));
  const where = { spreadsheetId: data.spreadsheetId, range: 'A1:B1' };
  const write = { ...where, valueInputOption: 'RAW', requestBody: { values: [['Ada', 36]] } };
  await sheets.spreadsheets.values.update(write, at('sheets'));
  const read = await sheets.spreadsheets.values.get(where, at('sheets'));
  assert.deepStrictEqual(read.data.values, [['Ada', '36']]);
});

check('drive: list', async () => {
  const { data } = await drive.files.list({ pageSize: 3 }, at('drive'));
  assert.strictEqual(data.files.length, 3);
});

check('drive: a multipart upload from a stream, read again', async () => {
  const media = { mimeType: 'text/plain', body: Readable.from(['hello ', 'stream']) };
  const { data } = await drive.files.create({ requestBody: { name: 'stream.txt' }, media }, at('drive'));
  const read = await drive.files.get({ fileId: data.id, alt: 'media' }, { ...at('drive'), responseType: 'text' });
  assert.strictEqual(read.data, 'hello stream');
});
