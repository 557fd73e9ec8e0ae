import { notifyManager } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../api/queries.ts'

type Draft = {
  text: string
  /** The stored text when the user began to type, or the text that was saved since. */
  former: string
}

export type StoredTexts<Name extends string> = {
  /** The props of a field. */
  field: (name: Name) => { value: string; onChange: (text: string) => void }
  /** The fields with a draft whose stored text has changed since. */
  outdated: Name[]
  /** Runs `work`, which stores the changed texts. The fields then show the stored texts. */
  save: (work: (changed: Partial<Record<Name, string>>) => Promise<unknown>) => Promise<void>
}

/**
 * The texts of fields that other forms and other users change, too. A field shows the stored text until the user types.
 * Only changed texts are saved, and what the user types during that stays.
 */
export function useStoredTexts<Name extends string>(stored: Record<Name, string>): StoredTexts<Name> {
  const [drafts, setDrafts] = useState<ReadonlyMap<Name, Draft>>(new Map())
  const [isSaving, setSaving] = useState(false)
  const changed = [...drafts].filter(([, { text, former }]) => text !== former)
  const outdated = changed.filter(
    ([name, { text, former }]) => !isSame(stored[name], former) && !isSame(stored[name], text),
  )

  function type(name: Name, text: string) {
    setDrafts((current) => new Map(current).set(name, { text, former: current.get(name)?.former ?? stored[name] }))
  }

  async function save(work: (changed: Partial<Record<Name, string>>) => Promise<unknown>) {
    setSaving(true)
    try {
      const texts = Object.fromEntries(changed.map(([name, { text }]) => [name, text])) as Partial<Record<Name, string>>
      // Without a change, the fields show what others have stored meanwhile.
      await (changed.length > 0 ? work(texts) : queryClient.invalidateQueries())
      // React Query tells the components of new data in a later task. The fields must not show the former texts before.
      await new Promise<void>((resolve) => notifyManager.schedule(resolve))
      setDrafts((current) => withoutSaved(current, drafts))
    } finally {
      setSaving(false)
    }
  }

  return {
    field: (name) => ({ value: drafts.get(name)?.text ?? stored[name], onChange: (text) => type(name, text) }),
    outdated: isSaving ? [] : outdated.map(([name]) => name),
    save,
  }
}

/** Whether two texts differ in their spaces at most: the service trims texts, and writes JSON with other spaces. */
function isSame(one: string, other: string): boolean {
  return one.replace(/\s/g, '') === other.replace(/\s/g, '')
}

function withoutSaved<Name>(current: ReadonlyMap<Name, Draft>, saved: ReadonlyMap<Name, Draft>): Map<Name, Draft> {
  const left = [...current].filter(([name, { text }]) => text !== saved.get(name)?.text)
  return new Map(left.map(([name, { text, former }]) => [name, { text, former: saved.get(name)?.text ?? former }]))
}
