// Mails composed by nodemailer, and by hand as the samples of googleapis do, and by Stead: all are the same mail.
'use strict';

const assert = require('node:assert');
const { google } = require('googleapis');
const MailComposer = require('nodemailer/lib/mail-composer');
const { check, proxyUrl, token } = require('./checks.cjs');

const user = 'acme/user 1';
const auth = new google.auth.OAuth2();
auth.setCredentials({ access_token: token('mail') });
const gmail = google.gmail({ version: 'v1', auth, rootUrl: `${proxyUrl}/` }).users.messages;

async function post(path, body, headers) {
  const response = await fetch(process.env.STEAD_URL + path, { method: 'POST', body, headers });
  assert.ok(response.ok, await response.clone().text());
  return response.json();
}

let bearer;
async function byStead(tool, input) {
  if (!bearer) {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: process.env.APPLICATION_ID,
      client_secret: process.env.APPLICATION_SECRET,
    });
    bearer = (await post('/oauth/token', form, {})).access_token;
  }
  const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' };
  const call = JSON.stringify({ connection_name: 'mail', identifier: user, input });
  return (await post(`/v1/tools/${tool}/execute`, call, headers)).data;
}

const bySdk = async (mail) => {
  const raw = Buffer.from(mail).toString('base64url');
  return (await gmail.send({ userId: 'me', requestBody: { raw } })).data;
};
const byNodemailer = (mail) => {
  const composed = new MailComposer({ ...mail, newline: 'win' }).compile();
  composed.keepBcc = true;
  return composed.build();
};

async function tree(messageId, part) {
  if (part.parts?.length) {
    return [part.mimeType, await Promise.all(part.parts.map((one) => tree(messageId, one)))];
  }
  let { body } = part;
  if (body.attachmentId) {
    body = (await gmail.attachments.get({ userId: 'me', messageId, id: body.attachmentId })).data;
  }
  const bytes = Buffer.from(body.data ?? '', 'base64url').toString('latin1');
  // Libraries end a text with a line break of their own.
  const read = part.filename ? bytes : bytes.replaceAll('\r\n', '\n').replace(/\n+$/, '');
  return [part.mimeType, part.filename, read];
}

async function read(id) {
  const { data } = await gmail.get({ userId: 'me', id });
  const of = (name) => data.payload.headers.find((one) => one.name.toLowerCase() === name)?.value ?? '';
  const people = (name) => of(name).split(/,\s*(?=[^,]*@)/).map((one) => one.replace(/^<(.*)>$/, '$1').replaceAll('"', '').trim());
  return {
    to: people('to'),
    cc: people('cc'),
    bcc: people('bcc'),
    subject: of('subject'),
    parts: await tree(id, data.payload),
  };
}

check('composing: a text, by hand', async () => {
  const subject = 'Grüße 🤘';
  const stead = await byStead('mail_send_message', { to: ['ada@example.com'], subject, body: 'This is a message.\nTwo lines.' });
  const encoded = `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`;
  const lines = ['To: ada@example.com', 'Content-Type: text/plain; charset=utf-8', 'MIME-Version: 1.0', `Subject: ${encoded}`, '', 'This is a message.', 'Two lines.'];
  const sdk = await bySdk(lines.join('\n'));
  assert.deepStrictEqual(await read(stead.id), await read(sdk.id));
});

check('composing: HTML, files and hidden recipients, by nodemailer', async () => {
  const bytes = Buffer.from(Array.from({ length: 1280 }, (_, index) => index % 256));
  const html = '<p>Hello <b>all</b></p>';
  const to = ['Zoë Müller <zoe@example.com>', 'bob@example.com'];
  const subject = `Plan für 日本 ${'und mehr '.repeat(20)}Ende`;
  const stead = await byStead('mail_send_message', {
    to,
    cc: ['team@example.com'],
    bcc: ['log@example.com'],
    subject,
    body: html,
    body_type: 'html',
    attachments: [
      { name: 'Übersicht 日本.bin', content_base64: bytes.toString('base64') },
      { name: 'plan.csv', media_type: 'text/csv', text: 'a,b\r\n1,2\nü\n' },
    ],
  });
  const expected = await read(stead.id);
  const [, , text] = expected.parts[1][0][1][0];
  const mail = await byNodemailer({
    to,
    cc: 'team@example.com',
    bcc: 'log@example.com',
    subject,
    text: Buffer.from(text, 'latin1').toString(),
    html,
    attachments: [
      { filename: 'Übersicht 日本.bin', content: bytes, contentType: 'application/octet-stream' },
      { filename: 'plan.csv', contentType: 'text/csv', content: Buffer.from('a,b\r\n1,2\nü\n') },
    ],
  });
  assert.deepStrictEqual(expected, await read((await bySdk(mail)).id));
});
