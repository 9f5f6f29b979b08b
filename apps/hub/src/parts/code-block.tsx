import { Code } from '@mantine/core';
import classes from './code-block.module.css';

/** Lines of a program or a document, which break instead of scrolling sideways. @param label for screen readers */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <Code block className={classes.code} tabIndex={0} role="region" aria-label={label}>
      {text}
    </Code>
  );
}
