//! A table as a Parquet file: one row group, Snappy, columns that may be null.

use std::sync::Arc;

use ::parquet::basic::{
    Compression, ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical,
};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
pub use ::parquet::errors::ParquetError;
use ::parquet::errors::Result;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::Type;
use bobbin_core::api::{Table, Values};

/// The whole file, without one of its columns where a folder says it.
///
/// # Errors
/// Those of the writer, which writes to memory.
pub fn encoded(table: &Table, without: &str) -> Result<Vec<u8>> {
    let columns: Vec<_> = table
        .columns
        .iter()
        .filter(|column| column.name != without)
        .collect();
    let fields = columns
        .iter()
        .map(|column| field(&column.name, &column.values).map(Arc::new))
        .collect::<Result<Vec<_>>>()?;
    let schema = Type::group_type_builder(&table.name)
        .with_fields(fields)
        .build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by("bobbin".into())
        .build();
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for column in columns {
        write(&mut group, &column.values)?;
    }
    group.close()?;
    file.into_inner()
}

fn field(name: &str, values: &Values) -> Result<Type> {
    let (physical, logical, converted) = match values {
        Values::Text(_) => (
            Physical::BYTE_ARRAY,
            Some(LogicalType::String),
            ConvertedType::UTF8,
        ),
        Values::Whole(_) => (Physical::INT64, None, ConvertedType::NONE),
        Values::Real(_) => (Physical::DOUBLE, None, ConvertedType::NONE),
        Values::Truth(_) => (Physical::BOOLEAN, None, ConvertedType::NONE),
        Values::Moment(_) => (
            Physical::INT64,
            Some(LogicalType::timestamp(true, TimeUnit::MICROS)),
            ConvertedType::TIMESTAMP_MICROS,
        ),
    };
    Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .with_converted_type(converted)
        .build()
}

fn write(group: &mut SerializedRowGroupWriter<'_, Vec<u8>>, values: &Values) -> Result<()> {
    let Some(mut column) = group.next_column()? else {
        return Ok(());
    };
    match values {
        Values::Text(values) => {
            let told: Vec<ByteArray> = values
                .iter()
                .flatten()
                .map(|text| ByteArray::from(text.as_str()))
                .collect();
            column
                .typed::<ByteArrayType>()
                .write_batch(&told, Some(&levels(values)), None)?;
        }
        Values::Whole(values) | Values::Moment(values) => {
            let told: Vec<i64> = values.iter().flatten().copied().collect();
            column
                .typed::<Int64Type>()
                .write_batch(&told, Some(&levels(values)), None)?;
        }
        Values::Real(values) => {
            let told: Vec<f64> = values.iter().flatten().copied().collect();
            column
                .typed::<DoubleType>()
                .write_batch(&told, Some(&levels(values)), None)?;
        }
        Values::Truth(values) => {
            let told: Vec<bool> = values.iter().flatten().copied().collect();
            column
                .typed::<BoolType>()
                .write_batch(&told, Some(&levels(values)), None)?;
        }
    }
    column.close()
}

/// 1 for what was told, 0 for what was not.
fn levels<T>(values: &[Option<T>]) -> Vec<i16> {
    values
        .iter()
        .map(|value| i16::from(value.is_some()))
        .collect()
}
