import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../parts/code-block.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import type { App } from './app-queries.ts';

/** A client secret, the one time that it is shown, and a request that uses it. */
export function NewSecret({ app, secret }: { app: App; secret: string }) {
  const { t } = useTranslation();
  const scope = app.scopes.length > 0 ? ` --data-urlencode 'scope=${app.scopes.join(' ')}'` : '';
  const request =
    `curl -u '${app.clientId}:${secret}' -d grant_type=client_credentials${scope} ` + `${location.origin}/oauth2/token`;
  return (
    <ShownOnce title={t('app.secretOnce')} text={t('app.secretOnceBody')} label={t('app.secret')} value={secret}>
      {app.kind === 'service' && (
        <div>
          <Text size="sm">{t('app.tryIt')}</Text>
          <CodeBlock text={request} label={t('app.tryIt')} />
        </div>
      )}
    </ShownOnce>
  );
}
