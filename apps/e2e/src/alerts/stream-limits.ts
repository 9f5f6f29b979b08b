import { jetstreamManager, type StreamConfig } from '@nats-io/jetstream';
import { connectAs } from '../stack/nats.ts';
import type { Stack } from '../stack/stack.ts';

/** Changes the limits of a stream, as somebody with the login of the deployment could. */
export async function setLimits(stack: Stack, stream: string, limits: Partial<StreamConfig>): Promise<void> {
  const { connection } = await connectAs(stack, 'deploy');
  try {
    await (await jetstreamManager(connection, { checkAPI: false })).streams.update(stream, limits);
  } finally {
    await connection.close();
  }
}
