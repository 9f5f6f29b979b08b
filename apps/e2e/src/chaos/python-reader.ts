import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Client } from '../clients/client.ts';
import { cleanEnvironment } from '../stack/config.ts';
import { root } from '../stack/stack.ts';

/** What docs/audit-stream.md leaves to its reader: the token, and what is done with an event. */
const program = `
import base64, os, sys, urllib.parse

def token():
    basic = base64.b64encode(f"{os.environ['CLIENT_ID']}:{os.environ['CLIENT_SECRET']}".encode()).decode()
    body = urllib.parse.urlencode({"grant_type": "client_credentials", "scope": "audit:read"}).encode()
    request = urllib.request.Request(
        f"{os.environ['BASE']}/oauth2/token", data=body, headers={"Authorization": f"Basic {basic}"})
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)["access_token"]

def handle(event):
    print(event["seq"], flush=True)

follow(os.environ["BASE"], os.environ["ORG"], token, handle, lambda place: None, 0)
`;

/** Runs the reader in Python of docs/audit-stream.md as it stands there. */
export class PythonReader {
  readonly seqs: number[] = [];
  errors = '';
  readonly #process: ChildProcess;

  constructor({ stack, app }: Client) {
    const docs = readFileSync(join(root, 'docs', 'audit-stream.md'), 'utf8');
    const [, code] = /```python\n([\s\S]*?)```/.exec(docs)!;
    const env = cleanEnvironment({
      BASE: stack.gateways[0]!,
      ORG: app.org,
      CLIENT_ID: app.clientId,
      CLIENT_SECRET: app.clientSecret,
    });
    this.#process = spawn('python3', ['-c', code! + program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    createInterface(this.#process.stdout!).on('line', (line) => this.seqs.push(Number(line)));
    this.#process.stderr!.on('data', (text: Buffer) => (this.errors += text.toString()));
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    this.#process.kill();
    await once(this.#process, 'exit');
  }
}
