import { RequestFailed } from '../api/request-failed.ts'
import { failureSentence, REPEATABLE, type Sentences } from '../format/failure-sentence.ts'
import { Notice } from './Notice.tsx'

type FailureNoticeProps = { error: unknown; retry?: (() => void) | undefined; sentences?: Sentences | undefined }

/** The reason of a failure. An error of the service also shows the request id, which finds it in the log. */
export function FailureNotice({ error, retry, sentences }: FailureNoticeProps) {
  const failure = RequestFailed.from(error)
  return (
    <Notice kind="problem">
      <p>{failureSentence(failure, retry ? { ...REPEATABLE, ...sentences } : sentences)}</p>
      {retry && (
        <button type="button" className="text-button" onClick={retry}>
          Try again
        </button>
      )}
      {failure.status >= 500 && failure.reference && <p className="reference">Reference {failure.reference}</p>}
    </Notice>
  )
}
