import { receiverOrigin } from '../stack/config.ts';
import { LocalServer } from './local-server.fixture.ts';

/** A server at the one address of this machine that the stack under test may call. One at a time can be open. */
export class ReceiverServer extends LocalServer {
  override async open(): Promise<void> {
    await super.open(Number(new URL(receiverOrigin()).port));
  }

  urlOf(path: string): string {
    return receiverOrigin() + path;
  }
}
