import { CreateLog1763700000000 } from './1763700000000-create-log.js';
import { CountRefusals1763920000000 } from './1763920000000-count-refusals.js';
import { ProvableLog1764000000000 } from './1764000000000-provable-log.js';
import { ParkRecords1764100000000 } from './1764100000000-park-records.js';
import { NameDroppedPlaces1764110000000 } from './1764110000000-name-dropped-places.js';
import { PartitionsWithoutStatistics1764200000000 } from './1764200000000-partitions-without-statistics.js';
import { EncryptionKeys1764220000000 } from './1764220000000-encryption-keys.js';

export const migrations = [
  CreateLog1763700000000,
  CountRefusals1763920000000,
  ProvableLog1764000000000,
  ParkRecords1764100000000,
  NameDroppedPlaces1764110000000,
  PartitionsWithoutStatistics1764200000000,
  EncryptionKeys1764220000000,
];
