import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { personOperations, type RoleOperation } from '@holdfast/contracts';
import { apiLanguages, snippetOf, type ApiCall, type ApiLanguage } from './api-call.ts';
import { Choice } from './choice.tsx';
import { CodeBlock } from './code-block.tsx';
import { CopyButton } from './copy-button.tsx';

interface Props {
  call: ApiCall;
  /** That a program needs for it. */
  operation: RoleOperation;
}

/** The request that this screen sends, as a program would send it. */
export function ViewAsApi({ call, operation }: Props) {
  const { t } = useTranslation();
  const [language, setLanguage] = useState<ApiLanguage>('curl');
  const text = snippetOf(language, location.origin, call);
  return (
    <details>
      <summary>{t('asApi.title')}</summary>
      <Group justify="space-between" my="xs">
        <Choice label={t('asApi.title')} options={apiLanguages} value={language} onChange={setLanguage} />
        <CopyButton text={text} />
      </Group>
      <CodeBlock text={text} label={t('asApi.title')} />
      <Text size="xs" c="dimmed" mt="xs">
        {t(operation in personOperations ? 'asApi.peopleOnly' : 'asApi.token', { operation })}
      </Text>
    </details>
  );
}
