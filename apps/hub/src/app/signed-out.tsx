import { Button, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { signInAddress } from '../api/organization.ts';
import classes from './signed-out.module.css';

/** Without a session: where to sign in, and why the last sign-in failed. The sign-in returns to the same screen. */
export function SignedOut() {
  const { t } = useTranslation();
  const failure = new URLSearchParams(location.search).get('sign_in');
  const [title, body] =
    failure === 'denied'
      ? [t('session.denied'), t('session.deniedBody')]
      : failure === 'failed'
        ? [t('session.failed'), t('session.failedBody')]
        : [t('session.signedOut'), t('session.signedOutBody')];
  return (
    <main className={classes.card}>
      <Stack>
        <Title order={1} size="h2">
          {title}
        </Title>
        <Text>{body}</Text>
        <Button component="a" href={signInAddress()} size="md">
          {t('session.signIn')}
        </Button>
      </Stack>
    </main>
  );
}
