import { call } from '../browser/api.ts';
import { failureOf } from '../browser/failure.ts';
import { createView } from '../screen/view.ts';
import { wordsOf } from '../texts.ts';
import { hub as english } from '../texts/en/hub.ts';
import { hubScreen, type HubAction } from './hub-screen.ts';
import { hubStep, type HubEffect, type HubEvent, type HubState, type SignedInUser } from './hub-state.ts';

const shortId = location.pathname.split('/')[2]!;
const hub = `/hub/${shortId}`;
const failure = (['denied', 'failed'] as const).find(
  (kind) => kind === new URLSearchParams(location.search).get('sign_in'),
);
let state: HubState = { name: 'loading' };

const view = createView<HubAction>(wordsOf('hub', english).title, (type) => void send({ type }));

const run: Record<HubEffect, () => Promise<HubEvent>> = {
  load: async () => ({
    type: 'loaded',
    user: await call<SignedInUser>('GET', `/o/${shortId}/api/admin/users/me`),
  }),
  signOut: async () => {
    await call('POST', `${hub}/sign-out`);
    return { type: 'signedOut' };
  },
};

async function send(event: HubEvent): Promise<void> {
  const [next, effect] = hubStep(state, event, failure);
  state = next;
  view.show(hubScreen(state, `${hub}/sign-in`));
  if (effect)
    await send(
      await run[effect]().catch((error: unknown): HubEvent => ({ type: 'failed', failure: failureOf(error) })),
    );
}

void send({ type: 'retry' });
