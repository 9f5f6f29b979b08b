import { describe, expect, it } from '@jest/globals';
import { LiveReplicas } from './live-replicas.js';

/** Sends messages that come back at once, while the others send nothing. */
function send(replicas: LiveReplicas, count: number): void {
  for (let i = 0; i < count; i += 1) replicas.receive({ replica: 'own', sent: replicas.nextMessage() });
}
const other = (replica: string, leaving?: boolean) => ({ replica, sent: 1, leaving });

describe('live replicas', () => {
  it('count this one and those that sent something, and no longer those that left', () => {
    const replicas = new LiveReplicas('own');
    expect(replicas.count).toBe(1);
    for (const id of ['a', 'b', 'a']) replicas.receive(other(id));
    expect(replicas.count).toBe(3);
    replicas.receive(other('b', true));
    expect(replicas.count).toBe(2);
  });

  it('are known after three own messages came back', () => {
    const replicas = new LiveReplicas('own');
    send(replicas, 2);
    expect(replicas.known).toBe(false);
    send(replicas, 1);
    expect(replicas.known).toBe(true);
  });

  it('no longer count one that was silent while four own messages came back', () => {
    const replicas = new LiveReplicas('own');
    for (const id of ['a', 'b']) replicas.receive(other(id));
    send(replicas, 3);
    replicas.receive(other('a'));
    expect(replicas.count).toBe(3);
    send(replicas, 1);
    expect(replicas.count).toBe(2);
  });

  it('stay what they were while no own message comes back, also when all of them come back late and at once', () => {
    const replicas = new LiveReplicas('own');
    replicas.receive(other('a'));
    const late = Array.from({ length: 20 }, () => replicas.nextMessage());
    expect(replicas.reachable).toBe(false);
    for (const sent of late) replicas.receive({ replica: 'own', sent });
    expect(replicas.count).toBe(2);
    expect(replicas.reachable).toBe(true);
  });

  it('are out of reach from the second own message on that did not come back', () => {
    const replicas = new LiveReplicas('own');
    const first = replicas.nextMessage();
    expect(replicas.reachable).toBe(true);
    replicas.nextMessage();
    expect(replicas.reachable).toBe(false);
    replicas.receive({ replica: 'own', sent: first });
    expect(replicas.reachable).toBe(true);
  });

  it('are not known by own messages that came back when two others had been sent', () => {
    const replicas = new LiveReplicas('own');
    const sent = Array.from({ length: 5 }, () => replicas.nextMessage());
    for (const late of sent.slice(0, 3)) replicas.receive({ replica: 'own', sent: late });
    for (const timely of sent.slice(3)) replicas.receive({ replica: 'own', sent: timely });
    expect(replicas.known).toBe(false);
    send(replicas, 1);
    expect(replicas.known).toBe(true);
  });

  it('are 64 at most, whatever somebody announces', () => {
    const replicas = new LiveReplicas('own');
    for (let i = 0; i < 1000; i += 1) replicas.receive(other(`forged${i}`));
    expect(replicas.count).toBe(64);
  });
});
