import { type Mutation, type MutationObserver, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { RequestFailed } from '../shared/api/request-failed.ts'
import { meansEndOfSession } from '../shared/api/session-of-page.ts'
import type { Sentences } from '../shared/format/failure-sentence.ts'
import { sentenceAtField } from '../shared/forms/use-form-errors.ts'
import { showProblem } from '../shared/routing/page-state.ts'

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: ChangeMeta
  }
}

type ChangeMeta = {
  /** The text of the button that sends the change, or of the field. */
  label?: string
  sentences?: Sentences | undefined
}

/** The general sentence says that nothing typed is lost. */
const SENTENCES: Sentences = { INTERNAL_SERVER_ERROR: 'Something went wrong on our side. Try again in a moment.' }

/** Shows why a change failed whose form, button or row has left the page during the request. */
export function useLeftChanges(): void {
  const client = useQueryClient()
  useEffect(() => {
    const observers = new WeakMap<object, Pick<MutationObserver, 'hasListeners'>>()
    return client.getMutationCache().subscribe((event) => {
      if (event.type === 'observerAdded') observers.set(event.mutation, event.observer)
      if (event.type !== 'updated' || event.action.type !== 'error') return
      if (observers.get(event.mutation)?.hasListeners() === false) showFailure(event.mutation)
    })
  }, [client])
}

function showFailure({ meta, state }: Pick<Mutation, 'meta' | 'state'>): void {
  const failure = RequestFailed.from(state.error)
  if (meansEndOfSession(failure.code) || isEndOfCeremony(failure)) return
  showProblem(`${meta?.label ?? 'Your last action'}: ${sentenceAtField(failure, { ...SENTENCES, ...meta?.sentences })}`)
}

/** The browser ends the ceremony of a passkey when the user has left it. */
function isEndOfCeremony({ status, code }: RequestFailed): boolean {
  return status === 0 && code !== 'NO_RESPONSE' && code !== 'UNREACHABLE'
}
