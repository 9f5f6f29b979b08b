import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';

/** Copies a text, and says so. */
export function CopyButton({ text }: { text: string }) {
  const { t } = useTranslation();
  const { copy, copied } = useClipboard();
  return (
    <Button variant="default" size="compact-sm" onClick={() => copy(text)} aria-live="polite">
      {t(copied ? 'app.copied' : 'app.copy')}
    </Button>
  );
}
