import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Screen } from '../parts/screen.tsx';
import { ToOverview } from './shell.tsx';

export function NotFound() {
  const { t } = useTranslation();
  return (
    <Screen title={t('shell.notFound')}>
      <Text>{t('shell.notFoundBody')}</Text>
      <ToOverview />
    </Screen>
  );
}
