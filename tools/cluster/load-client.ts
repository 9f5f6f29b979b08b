// Runs in a pod, by itself: gets tokens, creates offers, lists and erases customers at a steady rate, as an app does,
// each request a single attempt. Prints a line for each failure, and the figures every second.
const { GATEWAY, ORGANIZATION, CLIENT_ID, CLIENT_SECRET, REQUESTS_PER_SECOND } = process.env;
const timeoutMs = 10_000;
const figures = { requests: 0, failed: 0, slowestMs: 0 };
const api = `${GATEWAY}/o/${ORGANIZATION}/api/credentials`;
let token = '';
const customers: string[] = [];

const requests = {
  token: (): [string, RequestInit] => [
    `${GATEWAY}/oauth2/token`,
    {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'offers:write issued:read issued:manage' }),
    },
  ],
  offer: (): [string, RequestInit] => [
    `${api}/offers`,
    { method: 'POST', headers: { authorization: `Bearer ${token}` } },
  ],
  list: (): [string, RequestInit] => [`${api}/subjects?limit=10`, { headers: { authorization: `Bearer ${token}` } }],
  erase: (): [string, RequestInit] => [
    `${api}/subjects/${customers.shift()}`,
    { method: 'DELETE', headers: { authorization: `Bearer ${token}` } },
  ],
};

async function send(kind: keyof typeof requests): Promise<void> {
  const began = performance.now();
  try {
    const [url, request] = requests[kind]();
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(timeoutMs) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 300)}`);
    if (kind === 'offer') customers.push((JSON.parse(text) as { subject: string }).subject);
    if (kind === 'token') token = (JSON.parse(text) as { access_token: string }).access_token;
  } catch (error) {
    figures.failed += 1;
    const failure = String((error as Error).cause ?? error);
    console.log(JSON.stringify({ at: new Date().toISOString(), kind, failure }));
  }
  figures.requests += 1;
  figures.slowestMs = Math.max(figures.slowestMs, Math.round(performance.now() - began));
}

await send('token');
await send('offer');
const order = ['offer', 'list', 'list', 'offer', 'erase', 'token'] as const;
let next = 0;
setInterval(
  () => {
    const kind = order[next++ % order.length]!;
    // While offers fail there is nobody to erase.
    void send(kind === 'erase' && customers.length === 0 ? 'list' : kind);
  },
  1000 / Number(REQUESTS_PER_SECOND),
);
setInterval(() => {
  console.log(JSON.stringify(figures));
  figures.slowestMs = 0;
}, 1000);
process.on('SIGTERM', () => process.exit());
