import type { Msg } from '@nats-io/transport-node';

/** Longer than any sender of a command waits; a message that arrives later is rejected as expired. */
export const keptMs = 10_000;
const maxBytes = 16_000_000;
/** What a command takes besides its response. */
const commandBytes = 400;

type Reply = Pick<Msg, 'respond'>;

interface ReceivedCommand {
  key: string;
  receivedAtMs: number;
  /** The messages that wait for the response. */
  waiting: Reply[];
  response?: string;
}

/**
 * The commands that this replica has received lately, with their responses. A sender repeats the message of a command
 * that has no response, because the NATS server that carried the message or the response may have ended. Such a message
 * gets the response of the first one and is not handled (docs/adr/0097-repeated-commands.md).
 */
export class ReceivedCommands {
  /** In the order of their receipt. */
  private readonly commands = new Map<string, ReceivedCommand>();
  /** By the message that is handled, also after it was forgotten. */
  private readonly handled = new WeakMap<Reply, ReceivedCommand>();
  private bytes = 0;
  private forgotAtMs = -Infinity;

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly limitBytes = maxBytes,
  ) {}

  /**
   * @param key of the command: its sender and its id
   * @param isRepeated whether the sender has sent it before
   * @returns whether it must be handled
   */
  receive(key: string, message: Reply, isRepeated: boolean): boolean {
    this.forget();
    const known = this.commands.get(key);
    if (known) {
      if (known.response === undefined) known.waiting.push(message);
      else message.respond(known.response);
      return false;
    }
    // It may be one of those that were forgotten for want of room, and may have been handled.
    if (isRepeated && this.now() - this.forgotAtMs < keptMs) return false;
    const command = { key, receivedAtMs: this.now(), waiting: [message] };
    this.commands.set(key, command);
    this.handled.set(message, command);
    this.bytes += commandBytes;
    return true;
  }

  /** Whether the message is that of a command which must be handled. */
  has(message: Reply): boolean {
    return this.handled.has(message);
  }

  /** Sends the response of a command to all of its messages, and keeps it for those to come. */
  respond(message: Reply, response: string): void {
    const command = this.handled.get(message)!;
    for (const one of command.waiting) one.respond(response);
    Object.assign(command, { waiting: [], response });
    if (this.commands.get(command.key) === command) this.bytes += response.length;
  }

  private forget(): void {
    const now = this.now();
    for (const [key, { receivedAtMs, response = '' }] of this.commands) {
      const isOld = now - receivedAtMs >= keptMs;
      if (!isOld && this.bytes <= this.limitBytes) return;
      this.commands.delete(key);
      this.bytes -= commandBytes + response.length;
      if (!isOld) this.forgotAtMs = now;
    }
  }
}
