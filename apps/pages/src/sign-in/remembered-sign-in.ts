import type { SignIn } from '@holdfast/contracts';
import { safeAddress } from '../browser/address.ts';

/** Stores a sign-in for this tab, so that the page can link back to the app after the sign-in has ended. */
interface RememberedSignIn {
  store: (view: SignIn) => void;
  find: () => SignIn | undefined;
}

/** One entry per sign-in, by its address. Without storage, as in some private windows, nothing is stored. */
export function rememberedSignIn(storage: Pick<Storage, 'getItem' | 'setItem'>, address: string): RememberedSignIn {
  const key = `holdfast:${address}`;
  return {
    store: (view) => {
      try {
        storage.setItem(key, JSON.stringify(view));
      } catch {
        // The page works without storage.
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

function addressesOf({ startUrl, helpUrl }: Partial<SignIn['organization']>) {
  return {
    ...(typeof startUrl === 'string' && { startUrl }),
    ...(typeof helpUrl === 'string' && { helpUrl }),
  };
}

/** The stored text is checked, since another version of the page may have written it. */
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
    organization: { shortId: organization.shortId, name: organization.name, ...addressesOf(organization) },
    app: { name: app.name, ...(uri && { uri }) },
  };
}
