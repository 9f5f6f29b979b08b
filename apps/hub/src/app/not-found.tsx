import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ScreenLink } from '../parts/link.tsx';
import { Screen } from '../parts/screen.tsx';

export function NotFound() {
  const { t } = useTranslation();
  return (
    <Screen title={t('shell.notFound')}>
      <Text>{t('shell.notFoundBody')}</Text>
      <ScreenLink to="/">{t('shell.toOverview')}</ScreenLink>
    </Screen>
  );
}
