import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { eventually } from './ports.ts';
import { SeverableLink } from './severable-link.ts';

let server: Server;
let link: SeverableLink;
let accepted: Socket[];
let received: string;

beforeEach(async () => {
  [accepted, received] = [[], ''];
  server = createServer((socket) => {
    accepted.push(socket.on('error', () => undefined));
    socket.on('data', (chunk) => {
      received += chunk.toString();
      socket.write(`<${chunk.toString()}>`);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  link = await SeverableLink.to('127.0.0.1', (server.address() as AddressInfo).port);
});
afterEach(() => {
  link.close();
  accepted.forEach((socket) => socket.destroy());
  server.close();
});

async function client() {
  const socket = connect(link.port, '127.0.0.1');
  const seen = { socket, text: '', closed: false };
  socket
    .on('data', (chunk) => (seen.text += chunk.toString()))
    .on('error', () => undefined)
    .on('close', () => (seen.closed = true));
  await once(socket, 'connect');
  return seen;
}
/** Nothing may arrive within this time, in which data would come through an intact link. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 200));

it('delivers nothing while it is cut, and what was sent meanwhile when it is mended', async () => {
  const one = await client();
  one.socket.write('a');
  expect(await eventually(() => one.text === '<a>', 5000)).toBe(true);
  link.cut();
  one.socket.write('b');
  accepted[0]!.write('c');
  await settle();
  expect([one.text, received, one.closed]).toEqual(['<a>', 'a', false]);
  link.mend();
  expect(await eventually(() => one.text === '<a>c<b>' && received === 'ab', 5000)).toBe(true);
});

it('connects a client that came while it was cut only when it is mended', async () => {
  link.cut();
  const late = await client();
  late.socket.write('x');
  await settle();
  expect(accepted).toHaveLength(0);
  link.mend();
  expect(await eventually(() => late.text === '<x>', 5000)).toBe(true);
});

it('passes on the end of a connection only when it is mended', async () => {
  const one = await client();
  one.socket.write('a');
  await eventually(() => one.text === '<a>', 5000);
  link.cut();
  accepted[0]!.destroy();
  await settle();
  expect(one.closed).toBe(false);
  link.mend();
  expect(await eventually(() => one.closed, 5000)).toBe(true);
});
