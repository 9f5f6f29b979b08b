import { Alert, Button, Code, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Problem } from '../api/problem.ts';

interface Props {
  error: unknown;
  onRetry?: () => void;
}

/** What happened, what it means, what to do, and the request for those who investigate it. */
export function ProblemNotice({ error, onRetry }: Props) {
  const { t } = useTranslation();
  const problem = error instanceof Problem ? error : new Problem('unexpected', String(error));
  const [title, text] = useWords(problem);
  return (
    <Alert color="red" title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        {text !== '' && <Text size="sm">{text}</Text>}
        {problem.issues.map(({ pointer, parameter, detail }) => (
          <Text key={`${pointer}${parameter}${detail}`} size="sm">
            {(pointer ?? parameter ?? '').replace(/^#\//, '')}: {detail}
          </Text>
        ))}
        <Text size="xs">
          {t('problem.code')}: <Code>{problem.code}</Code>
          {problem.requestId !== undefined && (
            <>
              {' · '}
              {t('problem.request')}: <Code>{problem.requestId}</Code>
            </>
          )}
        </Text>
        {onRetry && (
          <Button variant="default" size="xs" onClick={onRetry}>
            {t('problem.retry')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** Title and text. What the API says itself is in English, and more exact than anything the hub could say. */
function useWords({ code, message, detail, retryAfter }: Problem): [string, string] {
  const { t } = useTranslation();
  if (code === 'unreachable' || code === 'unavailable') return [t('problem.unreachable'), t('problem.unreachableBody')];
  if (code === 'rate_limited') return [t('problem.busy'), t('problem.busyBody', { seconds: String(retryAfter ?? 1) })];
  if (['insufficient_scope', 'not_granted', 'forbidden'].includes(code))
    return [t('problem.forbidden'), t('problem.forbiddenBody')];
  if (code.startsWith('unknown_') || code === 'not_found') return [t('problem.gone'), t('problem.goneBody')];
  return [t('problem.title'), detail ?? message];
}
