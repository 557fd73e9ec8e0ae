import { notifyManager } from '@tanstack/react-query'
import { useState } from 'react'
import { refreshPages } from '../api/queries.ts'

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
  /**
   * Runs `work`, which stores the changed texts. The fields then show the stored texts.
   * @returns whether a text was changed
   */
  save: (work: (changed: Partial<Record<Name, string>>) => Promise<unknown>) => Promise<boolean>
}

/**
 * The texts of fields that other forms and other users change, too. A field shows the stored text until the user types
 * another one. Only changed texts are saved, and what the user types during that stays.
 * @param normalize makes texts equal that the service stores as the same text
 */
export function useStoredTexts<Name extends string>(
  stored: Record<Name, string>,
  normalize: (text: string) => string = joinWords,
): StoredTexts<Name> {
  const [drafts, setDrafts] = useState<ReadonlyMap<Name, Draft>>(new Map())
  const [saving, setSaving] = useState<ReadonlyMap<Name, Draft> | null>(null)
  const isSame = (one: string, other: string) => normalize(one) === normalize(other)
  const outdated = [...drafts].filter(
    ([name, { text, former }]) => !isSame(stored[name], former) && !isSame(stored[name], text),
  )

  function type(name: Name, text: string) {
    setDrafts((current) => {
      const next = new Map(current)
      // A text that is being saved replaces the stored one, so the stored one is a change then.
      if (text === stored[name] && !saving?.has(name)) next.delete(name)
      else next.set(name, { text, former: current.get(name)?.former ?? stored[name] })
      return next
    })
  }

  async function save(work: (changed: Partial<Record<Name, string>>) => Promise<unknown>) {
    setSaving(drafts)
    try {
      const texts = Object.fromEntries([...drafts].map(([name, { text }]) => [name, text]))
      // Without a change, the fields show the newest stored texts.
      await (drafts.size > 0 ? work(texts as Partial<Record<Name, string>>) : refreshPages())
      // React Query tells the components of new data in a later task. The fields must not show the former texts before.
      await new Promise<void>((resolve) => notifyManager.schedule(resolve))
      setDrafts((current) => withoutSaved(current, drafts))
      return drafts.size > 0
    } finally {
      setSaving(null)
    }
  }

  return {
    field: (name) => ({ value: drafts.get(name)?.text ?? stored[name], onChange: (text) => type(name, text) }),
    outdated: saving ? [] : outdated.map(([name]) => name),
    save,
  }
}

/** The service trims texts, and reads lists with any space between their items. */
function joinWords(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

function withoutSaved<Name>(current: ReadonlyMap<Name, Draft>, saved: ReadonlyMap<Name, Draft>): Map<Name, Draft> {
  const left = [...current].filter(([name, { text }]) => text !== saved.get(name)?.text)
  return new Map(left.map(([name, { text, former }]) => [name, { text, former: saved.get(name)?.text ?? former }]))
}
