"""Evaluation on a Spark cluster: topic by topic, with the same code and the same values as on one machine.

::

    from assay import spark as on_spark

    spark_results = on_spark.evaluate(spark, qrels_df, runs_df, ["AP", "nDCG@10"])
    spark_results.frame  # a lazy DataFrame: run, topic, measure, value
    spark_results.results()  # collected to the driver: the results of assay.evaluate

Every function takes a SparkSession, a DataFrame of judgments (topic, doc, grade) and a DataFrame of runs (run, topic,
doc, score). assay must be installed on the executors.
"""

import lazy_loader

# The stub __init__.pyi lists the public names; a module is loaded when its first name is used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
