import { ActionButton } from './ActionButton.tsx'
import { useWasSeen } from './use-was-seen.ts'

type Choice = { label: string; pendingLabel: string }

type AnswerButtonsProps = {
  yes: Choice
  no: Choice
  /** The answer that is being sent. */
  pending: boolean | undefined
  onAnswer: (isYes: boolean) => void
}

/** Two buttons that answer a question, once the user has seen them. */
export function AnswerButtons({ yes, no, pending, onAnswer }: AnswerButtonsProps) {
  const wasSeen = useWasSeen()
  return (
    <div className="actions">
      <ActionButton
        isPending={pending === true}
        isOff={pending === false}
        pendingLabel={yes.pendingLabel}
        wasSeen={wasSeen}
        onPress={() => onAnswer(true)}
      >
        {yes.label}
      </ActionButton>
      <ActionButton
        kind="quiet"
        isPending={pending === false}
        isOff={pending === true}
        pendingLabel={no.pendingLabel}
        wasSeen={wasSeen}
        onPress={() => onAnswer(false)}
      >
        {no.label}
      </ActionButton>
    </div>
  )
}
