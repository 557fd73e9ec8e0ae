import { queryOptions } from '@tanstack/react-query'
import { getDevice } from './endpoints.ts'

export const deviceQuery = (code: string) =>
  queryOptions({ queryKey: ['device', code], queryFn: () => getDevice(code), staleTime: Number.POSITIVE_INFINITY })
