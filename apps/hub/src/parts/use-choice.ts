import { useEffect, useState } from 'react';
import { draftOf } from './draft.ts';

const nothing = { chosen: [] as string[], isKept: false };

/**
 * What somebody has chosen in place of `current`, and not saved yet. `keep` stores it before the browser leaves for a
 * sign-in, after which the screen has it again.
 * @param name of the choice and its object
 */
export function useChoice(name: string, current: readonly string[]) {
  const draft = draftOf(sessionStorage, name, nothing);
  const [changed, setChosen] = useState(() => {
    const { chosen, isKept } = draft.read();
    return isKept ? chosen : undefined;
  });
  useEffect(() => draftOf(sessionStorage, name, nothing).clear(), [name]);
  const chosen = changed ?? [...current];
  return { chosen, setChosen, keep: () => draft.store({ chosen, isKept: true }) };
}
