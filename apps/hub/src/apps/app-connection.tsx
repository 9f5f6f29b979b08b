import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { shortId } from '../api/organization.ts';
import { Choice } from '../parts/choice.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Section } from '../parts/section.tsx';
import type { App } from './app-queries.ts';
import { connectionOf, librariesOf, trialSignIn, type Library } from './connection.ts';

/** What to paste into the app, and a sign-in to try it. */
export function AppConnection({ app }: { app: App }) {
  const { t } = useTranslation();
  const [library, setLibrary] = useState<Library>('Node.js');
  const issuer = `${location.origin}/o/${shortId}`;
  const text = connectionOf(library, issuer, app);
  return (
    <Section
      title={t('connection.title')}
      text={t('connection.body')}
      actions={
        app.redirectUris.length > 0 &&
        app.status === 'enabled' && (
          <Button
            variant="default"
            onClick={() => void trialSignIn(issuer, app).then((url) => open(url, '_blank', 'noopener'))}
          >
            {t('connection.try')}
          </Button>
        )
      }
    >
      <Group justify="space-between">
        <Choice label={t('connection.library')} options={librariesOf(app)} value={library} onChange={setLibrary} />
        <CopyButton text={text} />
      </Group>
      <CodeBlock text={text} label={library} />
    </Section>
  );
}
