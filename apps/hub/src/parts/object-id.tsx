import { Tooltip } from '@mantine/core';
import { CopyButton } from './copy-button.tsx';
import { shortened } from './identifier.ts';
import classes from './object-id.module.css';

/** An id, shortened in the middle, with the whole one on focus and to copy. */
export function ObjectId({ id }: { id: string }) {
  return (
    <span className={classes.identifier}>
      <Tooltip label={id}>
        <code tabIndex={0}>{shortened(id)}</code>
      </Tooltip>
      <CopyButton text={id} />
    </span>
  );
}
