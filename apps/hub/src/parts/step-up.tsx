import { Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { stepUpMaxAgeSeconds } from '@holdfast/contracts';
import { signInAddress } from '../api/organization.ts';
import { Problem } from '../api/problem.ts';
import { Dialog } from './dialog.tsx';

interface Props {
  /** Of the request that was denied. */
  error: unknown;
  onCancel: () => void;
  /** Stores what the screen has no draft of, before the browser leaves. */
  onLeave?: () => void;
}

/** Whether the request needs a sign-in of the last minutes (RFC 9470). */
export function needsStepUp(error: unknown): boolean {
  return error instanceof Problem && error.code === 'step_up_required';
}

/** Leads to a sign-in that returns to this screen; forms keep what was typed (draft.ts). */
export function StepUp({ error, onCancel, onLeave }: Props) {
  const { t } = useTranslation();
  return (
    <Dialog opened={needsStepUp(error)} onClose={onCancel} title={t('session.stepUp')}>
      <Text size="sm" mb="md">
        {t('session.stepUpBody')}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {t('session.cancel')}
        </Button>
        <Button component="a" href={signInAddress(stepUpMaxAgeSeconds)} onClick={onLeave}>
          {t('session.stepUpDo')}
        </Button>
      </Group>
    </Dialog>
  );
}
