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
/** Time in which something would have come through on this machine. */
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 200));

it('lets nothing through while it is cut, and delivers it when it is mended', async () => {
  const one = await client();
  one.socket.write('a');
  expect(await eventually(() => one.text === '<a>', 5000)).toBe(true);
  link.cut();
  one.socket.write('b');
  accepted[0]!.write('c');
  await aMoment();
  expect([one.text, received, one.closed]).toEqual(['<a>', 'a', false]);
  link.mend();
  expect(await eventually(() => one.text === '<a>c<b>' && received === 'ab', 5000)).toBe(true);
});

it('lets nobody through who connects while it is cut, until it is mended', async () => {
  link.cut();
  const late = await client();
  late.socket.write('x');
  await aMoment();
  expect(accepted).toHaveLength(0);
  link.mend();
  expect(await eventually(() => late.text === '<x>', 5000)).toBe(true);
});

it('tells of an end only when it is mended', async () => {
  const one = await client();
  one.socket.write('a');
  await eventually(() => one.text === '<a>', 5000);
  link.cut();
  accepted[0]!.destroy();
  await aMoment();
  expect(one.closed).toBe(false);
  link.mend();
  expect(await eventually(() => one.closed, 5000)).toBe(true);
});
