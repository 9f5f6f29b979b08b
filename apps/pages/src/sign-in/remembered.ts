import type { SignIn } from '@holdfast/contracts';
import { safeAddress } from '../browser/address.ts';

/** What a tab keeps, so that a sign-in which has ended can still say whose it was and lead back to the app. */
export interface RememberedSignIn {
  keep: (view: SignIn) => void;
  find: () => SignIn | undefined;
}

/** One entry per sign-in, by its address. Without storage (a private window may refuse it) nothing is remembered. */
export function rememberedSignIn(storage: Pick<Storage, 'getItem' | 'setItem'>, address: string): RememberedSignIn {
  const key = `holdfast:${address}`;
  return {
    keep: (view) => {
      try {
        storage.setItem(key, JSON.stringify(view));
      } catch {
        // The page works without it.
      }
    },
    find: () => {
      try {
        return parsed(storage.getItem(key));
      } catch {
        return undefined;
      }
    },
  };
}

/** Written by this page, and yet input: another version of it may have written something else. */
function parsed(text: string | null): SignIn | undefined {
  const { organization, app } = (JSON.parse(text ?? '{}') ?? {}) as Partial<SignIn>;
  if (
    typeof organization?.name !== 'string' ||
    typeof organization.shortId !== 'string' ||
    typeof app?.name !== 'string'
  )
    return undefined;
  const uri = safeAddress(typeof app.uri === 'string' ? app.uri : undefined, 'https://none.invalid/');
  return {
    organization: { shortId: organization.shortId, name: organization.name },
    app: { name: app.name, ...(uri && { uri }) },
  };
}
