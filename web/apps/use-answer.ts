import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'

/** A mutation that succeeds once. State alone does not stop a second click, which comes before the next render. */
export function useAnswer<Answer, Data>(send: (answer: Answer) => Promise<Data>, onSuccess?: (data: Data) => void) {
  const isSent = useRef(false)
  const { mutate, isPending, isSuccess, error, variables } = useMutation({
    mutationFn: send,
    onSuccess: (data) => onSuccess?.(data),
    onError: () => {
      isSent.current = false
    },
  })

  function answer(given: Answer) {
    if (isSent.current) return
    isSent.current = true
    mutate(given)
  }

  return { answer, isBusy: isPending || isSuccess, error, given: variables }
}
