import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { passkeyId } from '@holdfast/contracts';
import { passkeyIdOf } from './passkey-id.js';

test('the id of a passkey is a UUID of version 8, the same each time, and another one for each passkey', () => {
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 1023 }), (bytes) => {
      const credentialId = Buffer.from(bytes).toString('base64url');
      const id = passkeyIdOf(credentialId);
      expect(passkeyId.parse(id)).toBe(id);
      expect(id[14]).toBe('8');
      expect(passkeyIdOf(credentialId)).toBe(id);
      expect(seen.get(id) ?? credentialId).toBe(credentialId);
      seen.set(id, credentialId);
    }),
  );
});
