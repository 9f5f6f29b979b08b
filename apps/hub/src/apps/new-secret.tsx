import { Alert, Group, Stack, Text, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../parts/code-block.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import type { App } from './app-queries.ts';

/** A client secret, the one time that it is shown, and a request that uses it. */
export function NewSecret({ app, secret }: { app: App; secret: string }) {
  const { t } = useTranslation();
  const scope = app.scopes.length > 0 ? ` --data-urlencode 'scope=${app.scopes.join(' ')}'` : '';
  const request =
    `curl -u '${app.clientId}:${secret}' -d grant_type=client_credentials${scope} ` + `${location.origin}/oauth2/token`;
  return (
    <Alert title={t('app.secretOnce')} color="yellow">
      <Stack gap="sm">
        <Text size="sm">{t('app.secretOnceBody')}</Text>
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t('app.secret')}
            value={secret}
            readOnly
            flex={1}
            onFocus={(event) => event.target.select()}
          />
          <CopyButton text={secret} />
        </Group>
        {app.kind === 'service' && (
          <div>
            <Text size="sm">{t('app.tryIt')}</Text>
            <CodeBlock text={request} label={t('app.tryIt')} />
          </div>
        )}
      </Stack>
    </Alert>
  );
}
